/** One emoji from each version. */
const samples = [
  { version: 15, emoji: '🫨' },
  { version: 14, emoji: '🫠' },
  { version: 13.1, emoji: '😶‍🌫️' },
  { version: 13, emoji: '🥸' },
  { version: 12.1, emoji: '🧑‍🦰' },
  { version: 12, emoji: '🥱' },
  { version: 11, emoji: '🥰' },
  { version: 5, emoji: '🤩' },
  { version: 4, emoji: '👱‍♀️' },
  { version: 3, emoji: '🤣' },
]
const anyEmoji = '😀'
const country = '🇨🇦'
const sizePx = 24

export interface NativeSupport {
  /** The newest Unicode emoji version that this device's font draws. */
  newestVersion: number
  hasCountryFlags: boolean
}

let known: NativeSupport | undefined

/** What this device's own font can draw; without an emoji font, offers everything. */
export function findNativeSupport(): NativeSupport {
  known ??= find()
  return known
}

function find(): NativeSupport {
  const everything = { newestVersion: Number.POSITIVE_INFINITY, hasCountryFlags: true }
  const canvas = document.createElement('canvas')
  Object.assign(canvas, { width: 3 * sizePx, height: 2 * sizePx })
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (!context) return everything
  context.font = `${sizePx}px "Apple Color Emoji", "Segoe UI Emoji", "Noto Color Emoji", sans-serif`
  context.textBaseline = 'top'
  const plainWidth = context.measureText(anyEmoji).width
  // The font draws an unknown sequence as its parts, side by side.
  const isDrawn = (emoji: string) =>
    hasColour(context, emoji) && context.measureText(emoji).width < 1.5 * plainWidth
  if (!hasColour(context, anyEmoji)) return everything
  const newest = samples.find(({ emoji }) => isDrawn(emoji))
  return { newestVersion: newest?.version ?? 2, hasCountryFlags: isDrawn(country) }
}

/** Letters and the missing-character box are black. */
function hasColour(context: CanvasRenderingContext2D, emoji: string): boolean {
  const { width, height } = context.canvas
  context.clearRect(0, 0, width, height)
  context.fillText(emoji, 0, 4)
  const { data } = context.getImageData(0, 0, width, height)
  for (let at = 0; at < data.length; at += 4) {
    const [red = 0, green = 0, blue = 0] = data.subarray(at, at + 3)
    if (Math.max(red, green, blue) - Math.min(red, green, blue) > 24) return true
  }
  return false
}
