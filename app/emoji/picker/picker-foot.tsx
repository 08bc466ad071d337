import { useState } from 'react'
import type { EmojiEntry } from '../catalogue/emoji-data.ts'
import { type SkinTone, skinToneNames, skinTones } from '../catalogue/emoji-settings.ts'
import type { EmojiSheet } from '../catalogue/emoji-styles.ts'
import type { OfferedEmoji } from '../catalogue/list-sections.ts'
import { EmojiGlyph } from './emoji-glyph.tsx'
import styles from './emoji-picker.module.css'

interface PickerFootProps {
  /** The emoji under the pointer or the keyboard. */
  previewed: OfferedEmoji | undefined
  sheet: EmojiSheet | undefined
  /** The emoji that shows the skin tones. */
  hand: EmojiEntry | undefined
  skinTone: SkinTone
  onSkinTone(tone: SkinTone): void
}

/** The preview, and the skin tones. */
export function PickerFoot({ previewed, sheet, hand, skinTone, onSkinTone }: PickerFootProps) {
  const [isChoosing, setIsChoosing] = useState(false)
  return (
    <div className={styles.foot}>
      {isChoosing && hand ? (
        <fieldset className={styles.tones}>
          <legend className={styles.tonesLegend}>Choose default skin tone</legend>
          {skinTones.map((tone) => (
            <label key={tone} className={styles.tone}>
              <input
                type="radio"
                name="skin-tone"
                aria-label={skinToneNames[tone]}
                checked={tone === skinTone}
                onChange={() => onSkinTone(tone)}
              />
              <EmojiGlyph emoji={hand} skin={tone} sheet={sheet} />
            </label>
          ))}
        </fieldset>
      ) : (
        <p className={styles.preview}>
          {previewed ? (
            <>
              <span className={styles.previewGlyph}>
                <EmojiGlyph {...previewed} sheet={sheet} />
              </span>
              <span className={styles.previewWords}>
                <span>{previewed.emoji.name}</span>
                <small>:{previewed.emoji.id}:</small>
              </span>
            </>
          ) : (
            "What's your mood?"
          )}
        </p>
      )}
      {hand && (
        <button
          type="button"
          className={styles.toneButton}
          aria-label="Skin tone"
          aria-expanded={isChoosing}
          data-tooltip="Skin tone"
          onClick={() => setIsChoosing(!isChoosing)}
        >
          <EmojiGlyph emoji={hand} skin={skinTone} sheet={sheet} />
        </button>
      )}
    </div>
  )
}
