import type { EmojiEntry } from '../catalogue/emoji-data.ts'
import type { EmojiSheet } from '../catalogue/emoji-styles.ts'
import styles from './emoji-glyph.module.css'

interface EmojiGlyphProps {
  emoji: EmojiEntry
  skin: number
  /** Undefined while this device's own font draws, and if the sheet failed to load. */
  sheet: EmojiSheet | undefined
}

/** One emoji in the chosen style; this device's own font draws one that the sheet lacks. */
export function EmojiGlyph({ emoji, skin, sheet }: EmojiGlyphProps) {
  const { native, x, y } = emoji.skins[skin] ?? emoji.skins[0] ?? { native: '', x: 0, y: 0 }
  if (!sheet || emoji.version > sheet.newestVersion) {
    return (
      <span className={styles.glyph} aria-hidden="true">
        {native}
      </span>
    )
  }
  const last = sheet.cells - 1
  return (
    <span
      className={styles.picture}
      style={{
        backgroundImage: `url("${sheet.url}")`,
        backgroundSize: `${sheet.cells * 100}%`,
        backgroundPosition: `${(100 * x) / last}% ${(100 * y) / last}%`,
      }}
      aria-hidden="true"
    />
  )
}
