import { expect, test } from 'vitest'
import { pickAvatarColour } from './avatar.tsx'

const colours = new Set(
  Array.from({ length: 17 }, (_, index) => pickAvatarColour(String.fromCodePoint(97 + index))),
)

test('the palette has seventeen colours, picked by the sum of the characters', () => {
  expect(colours.size).toBe(17)
  expect(pickAvatarColour('ab')).toBe(pickAvatarColour('ba'))
})

test.each([...colours])('white text on %s has a contrast of at least 4.5', (colour) => {
  expect(1.05 / (measureLuminance(colour) + 0.05)).toBeGreaterThanOrEqual(4.5)
})

test.each([...colours])(
  '%s, lightened as a name on a dark bubble, has a contrast of at least 4.5',
  (colour) => {
    // 60 % of the colour with white (message.module.css), on --color-bubble-in (tokens.css).
    const mixed = [1, 3, 5].map((start) =>
      Math.round(Number.parseInt(colour.slice(start, start + 2), 16) * 0.6 + 255 * 0.4),
    )
    const name = `#${mixed.map((part) => part.toString(16).padStart(2, '0')).join('')}`
    const contrast = (measureLuminance(name) + 0.05) / (measureLuminance('#1c2a2e') + 0.05)
    expect(contrast).toBeGreaterThanOrEqual(4.5)
  },
)

test('any two colours can be told apart', () => {
  const places = [...colours].map((colour) => ({ colour, place: placeInOklab(colour) }))
  const pairs = places.flatMap((one, index) =>
    places.slice(index + 1).map((other) => ({
      pair: `${one.colour} ${other.colour}`,
      distance: Math.hypot(...one.place.map((part, axis) => part - (other.place[axis] ?? 0))),
    })),
  )
  expect(pairs).toHaveLength(136)
  expect(pairs.filter(({ distance }) => distance < 0.095)).toEqual([])
})

/** Lightness, green to red, blue to yellow. Source: Björn Ottosson, "A perceptual color space for image processing". */
function placeInOklab(colour: string): [number, number, number] {
  const [red, green, blue] = readLinear(colour)
  const long = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
  const medium = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
  const short = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
  return [
    0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short,
    1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short,
    0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short,
  ]
}

/** Relative luminance. Source: WCAG 2.2. */
function measureLuminance(colour: string): number {
  const [red, green, blue] = readLinear(colour)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function readLinear(colour: string): [number, number, number] {
  const readPart = (start: number) => {
    const part = Number.parseInt(colour.slice(start, start + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }
  return [readPart(1), readPart(3), readPart(5)]
}
