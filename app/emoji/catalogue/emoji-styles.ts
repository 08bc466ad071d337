/** In the order of the specification's section 2. */
export const emojiStyles = ['native', 'apple', 'twitter', 'google', 'facebook'] as const
export type EmojiStyle = (typeof emojiStyles)[number]

export interface EmojiSheet {
  url: string
  /** How many cells a row and a column have. */
  cells: number
  /** The newest version of Unicode's emoji that it has pictures for. */
  newestVersion: number
}

/** The pictures that their licences let us serve. Sources and licences: public/emoji/licences.txt. */
const sheets: Partial<Record<EmojiStyle, EmojiSheet>> = {
  twitter: { url: '/emoji/twitter-15.0.1.png', cells: 61, newestVersion: 14 },
  google: { url: '/emoji/google-15.0.1.png', cells: 61, newestVersion: 15 },
}

/** Undefined for the style that this device's own font draws. */
export function findSheet(style: EmojiStyle): EmojiSheet | undefined {
  return sheets[style]
}

/** Why a style cannot be chosen, in words; undefined where it can. */
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
