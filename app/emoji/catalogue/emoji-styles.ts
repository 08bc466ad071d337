/** In the order of decision 61, section 2. */
export const emojiStyles = ['native', 'apple', 'twitter', 'google', 'facebook'] as const
export type EmojiStyle = (typeof emojiStyles)[number]

export interface EmojiSheet {
  url: string
  /** The number of cells per row and column. */
  cells: number
  /** The newest Unicode emoji version in the sheet. */
  newestVersion: number
}

/** The sheets whose licences let us serve them. Sources and licences: public/emoji/licences.txt. */
const sheets: Partial<Record<EmojiStyle, EmojiSheet>> = {
  twitter: { url: '/emoji/twitter-15.0.1.png', cells: 61, newestVersion: 14 },
  google: { url: '/emoji/google-15.0.1.png', cells: 61, newestVersion: 15 },
}

/** Undefined for the style of this device's own font. */
export function findSheet(style: EmojiStyle): EmojiSheet | undefined {
  return sheets[style]
}

/** Why a style is unavailable, in words; undefined if it is available. */
export function findObstacle(style: EmojiStyle): string | undefined {
  if (style === 'native' || sheets[style]) return undefined
  return style === 'apple'
    ? "Not available: Apple doesn't license its emoji to other apps."
    : "Not available: Facebook's emoji have no license for other apps."
}

export function nameStyle(style: EmojiStyle): string {
  const names = { apple: 'Apple', twitter: 'Twitter', google: 'Google', facebook: 'Facebook' }
  return style === 'native' ? 'Native' : names[style]
}
