import { useEffect, useRef } from 'react'
import type { EmojiSheet } from '../catalogue/emoji-styles.ts'
import type { OfferedEmoji } from '../catalogue/list-sections.ts'
import { skinToneNames } from '../catalogue/skin-tone-names.ts'
import { EmojiGlyph } from './emoji-glyph.tsx'
import styles from './emoji-picker.module.css'

interface VariantPickerProps {
  offered: OfferedEmoji
  /** Its position in the picker, px. */
  place: { left: number; top: number }
  sheet: EmojiSheet | undefined
  onPick(offered: OfferedEmoji): void
  onClose(): void
}

/** The skin tones of one emoji: at most six. */
export function VariantPicker({ offered, place, sheet, onPick, onClose }: VariantPickerProps) {
  const { emoji, skin } = offered
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelectorAll('button')[skin]?.focus()
  }, [skin])
  return (
    <>
      {/* A press outside closes it, and does nothing else. */}
      <div className={styles.variantsScrim} aria-hidden="true" onPointerDown={onClose} />
      <div
        ref={list}
        className={styles.variants}
        style={place}
        role="toolbar"
        aria-label={`Skin tones of ${emoji.name}`}
        onKeyDown={(event) => {
          event.stopPropagation()
          const buttons = [...(list.current?.querySelectorAll('button') ?? [])]
          const now = buttons.indexOf(document.activeElement as HTMLButtonElement)
          const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0
          if (step !== 0) buttons[(now + step + buttons.length) % buttons.length]?.focus()
          if (event.key !== 'Escape') return
          event.preventDefault()
          onClose()
        }}
      >
        {emoji.skins.slice(0, skinToneNames.length).map(({ unified }, tone) => (
          <button
            key={unified}
            type="button"
            className={styles.cell}
            aria-label={`${emoji.name}, ${skinToneNames[tone]}`}
            tabIndex={tone === skin ? 0 : -1}
            onClick={() => onPick({ emoji, skin: tone })}
          >
            <EmojiGlyph emoji={emoji} skin={tone} sheet={sheet} />
          </button>
        ))}
      </div>
    </>
  )
}
