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

/** Relative luminance. Source: WCAG 2.2. */
function measureLuminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const part = Number.parseInt(colour.slice(start, start + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
