import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import { type Completions, FieldCompletion } from '../ui/forms/field-completion.tsx'
import { insertText } from '../ui/forms/insert-text.ts'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import { useMediaQuery } from '../ui/hooks/use-media-query.ts'
import { useBackLayer } from '../ui/layers/use-back-layer.ts'
import { emojiSettings } from './catalogue/emoji-settings.ts'
import { type OfferedEmoji, offer } from './catalogue/list-sections.ts'
import { loadEmojiData } from './catalogue/load-emoji-data.ts'
import { useSheet } from './catalogue/use-sheet.ts'
import styles from './emoji-tool.module.css'
import { EmojiGlyph } from './picker/emoji-glyph.tsx'
import { loadPicker, usePicker } from './picker/use-picker.ts'
import { useOutsidePress } from './use-outside-press.ts'

const openName = /(?:^|[\s(])(:([a-z0-9_+-]{2,40})(:?))$/i

const offeredMax = 6

interface EmojiToolProps {
  field: RefObject<HTMLTextAreaElement | null>
  /** Where the picker opens: under the field, over the messages or in the keyboard's place. */
  place: HTMLElement | null
  /** Draws one's own stickers in the panel; absent where none can be sent. */
  drawStickers?: ((panel: StickerPanel) => ReactNode) | undefined
}

interface StickerPanel {
  onEmoji(): void
  /** Closes the panel and goes on in the field. */
  onClose(): void
}

const [pickerWidth, pickerHeight] = [350, 400]

/** The composer's button for the picker, and the completion of short names such as `:smile`. */
export function EmojiTool({ field, place, drawStickers }: EmojiToolProps) {
  const [isOpen, setIsOpen] = useState(false)
  const [showsStickers, setShowsStickers] = useState(false)
  const loaded = usePicker(isOpen, () => setIsOpen(false))
  const isPhone = useMediaQuery('(max-width: 767px)')
  const hasKeyboard = useMediaQuery('(hover: hover) and (pointer: fine)')
  const panel = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const isDrawn = isOpen && loaded !== undefined && place !== null
  const close = () => setIsOpen(false)
  useBackLayer(isDrawn, close)
  useOutsidePress(isDrawn && !isPhone, [panel, button], close)
  useEffect(() => {
    const element = field.current
    if (!isDrawn || !isPhone || !element) return
    // The keyboard replaces the picker.
    const onFocus = () => setIsOpen(false)
    element.addEventListener('focus', onFocus)
    return () => element.removeEventListener('focus', onFocus)
  }, [isDrawn, isPhone, field])

  const open = () => {
    setIsOpen(true)
    if (isPhone) field.current?.blur()
  }
  const leave = () => {
    close()
    field.current?.focus({ preventScroll: true })
  }
  return (
    <>
      <IconButton
        ref={button}
        icon={isOpen && isPhone ? 'keyboard' : 'smile'}
        label={isOpen && isPhone ? 'Keyboard' : 'Emoji'}
        aria-expanded={isOpen}
        // The tooltip would cover the picker.
        {...(isOpen && { 'data-tooltip': undefined })}
        onPointerEnter={() => void loadPicker().catch(() => {})}
        // The focus stays until the picker takes it.
        onPointerDown={(event) => event.preventDefault()}
        onClick={() => (isOpen ? leave() : open())}
      />
      <ShortcodeCompletion field={field} place={place} />
      {isDrawn &&
        createPortal(
          <div ref={panel} className={styles.panel}>
            {showsStickers && drawStickers ? (
              <div
                className={styles.stickers}
                style={isPhone ? {} : { width: pickerWidth, height: pickerHeight }}
              >
                {drawStickers({ onEmoji: () => setShowsStickers(false), onClose: leave })}
              </div>
            ) : (
              <loaded.Picker
                data={loaded.data}
                {...(isPhone ? { isCompact: true } : { width: pickerWidth, height: pickerHeight })}
                takesFocus={hasKeyboard}
                onStickers={drawStickers && (() => setShowsStickers(true))}
                onPick={(native) => insertText(field.current, native)}
                onClose={leave}
              />
            )}
          </div>,
          place,
        )}
    </>
  )
}

/**
 * Offers emoji for a short name being typed, such as `:smile`; `:smile:` becomes one immediately.
 */
function ShortcodeCompletion(props: {
  field: RefObject<HTMLTextAreaElement | null>
  place: HTMLElement | null
}) {
  const { skinTone, style } = useLiveValue(emojiSettings)
  const [isOffering, setIsOffering] = useState(false)
  // Loads no sheet before there is an emoji to draw.
  const sheet = useSheet(isOffering ? style : 'native')

  async function find(
    text: string,
    cursor: number,
  ): Promise<Completions<OfferedEmoji> | undefined> {
    const typed = findShortcode(text, cursor)
    if (!typed) return undefined
    const { name, start, end, isClosed } = typed
    const data = await loadEmojiData()
    const found = offer((await data.search(name)).slice(0, offeredMax), skinTone)
    const exact = found.find(({ emoji }) => emoji.id === name)
    return isClosed ? { start, end, items: [], meant: exact } : { start, end, items: found }
  }

  return (
    <FieldCompletion
      {...props}
      id="emoji-completion"
      label="Emoji"
      find={find}
      keyOf={({ emoji }) => emoji.id}
      draw={({ emoji, skin }) => (
        <>
          <span className={styles.offered}>
            <EmojiGlyph emoji={emoji} skin={skin} sheet={sheet} />
          </span>
          <span>:{emoji.id}:</span>
        </>
      )}
      write={({ emoji, skin }) => emoji.skins[skin]?.native ?? ''}
      onOpen={setIsOffering}
    />
  )
}

interface TypedShortcode {
  /** The text after the colon. */
  name: string
  /** From the colon to the cursor, in UTF-16 units. */
  start: number
  end: number
  /** Does a second colon close it? */
  isClosed: boolean
}

/** The short name typed before the cursor, such as `:smile`; not a time such as 10:30. */
export function findShortcode(text: string, cursor: number): TypedShortcode | undefined {
  const found = openName.exec(text.slice(0, cursor))
  const [, whole, name, colon] = found ?? []
  if (whole === undefined || name === undefined) return undefined
  return {
    name: name.toLowerCase(),
    start: cursor - whole.length,
    end: cursor,
    isClosed: colon === ':',
  }
}
