import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import { insertText, isComposing } from '../ui/forms/insert-text.ts'
import { useLatest } from '../ui/hooks/use-latest.ts'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import { useMediaQuery } from '../ui/hooks/use-media-query.ts'
import { useBackLayer } from '../ui/layers/use-back-layer.ts'
import { logProblem } from '../ui/product.ts'
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

const listId = 'emoji-completion'

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

interface Completion {
  typed: TypedShortcode
  offered: readonly OfferedEmoji[]
  active: number
}

/**
 * Offers emoji for a short name being typed, such as `:smile`; `:smile:` becomes one immediately.
 */
function ShortcodeCompletion(props: {
  field: RefObject<HTMLTextAreaElement | null>
  place: HTMLElement | null
}) {
  const { field, place } = props
  const { skinTone, style } = useLiveValue(emojiSettings)
  const [completion, setCompletion] = useState<Completion>()
  // Loads no sheet before there is an emoji to draw.
  const sheet = useSheet(completion ? style : 'native')
  const choose = ({ emoji, skin }: OfferedEmoji, { start, end }: TypedShortcode) => {
    setCompletion(undefined)
    const { native } = emoji.skins[skin] ?? { native: '' }
    insertText(field.current, native, { start, end })
  }
  const latest = useLatest({ completion, choose, skinTone })

  useEffect(() => {
    const element = field.current
    if (!element) return
    const added = new AbortController()
    const { signal } = added
    let asked = 0

    async function complete(area: HTMLTextAreaElement) {
      const turn = ++asked
      const typed = findShortcode(area.value, area.selectionStart)
      if (!typed || area.selectionStart !== area.selectionEnd) return setCompletion(undefined)
      const data = await loadEmojiData()
      const found = await data.search(typed.name)
      if (turn !== asked || signal.aborted) return
      const offered = offer(found.slice(0, offeredMax), latest.current.skinTone)
      const exact = offered.find(({ emoji }) => emoji.id === typed.name)
      if (typed.isClosed) {
        setCompletion(undefined)
        if (exact) latest.current.choose(exact, typed)
      } else setCompletion(offered.length > 0 ? { typed, offered, active: 0 } : undefined)
    }

    const onInput = () =>
      void complete(element).catch((error: unknown) =>
        logProblem('Emoji could not be completed', error),
      )
    const onKeyDown = (event: KeyboardEvent) => {
      const { completion: open, choose: take } = latest.current
      if (!open || isComposing(event)) return
      const { key } = event
      const step = { ArrowUp: -1, ArrowDown: 1 }[key] ?? 0
      const isChoice = (key === 'Enter' && !event.shiftKey) || key === 'Tab'
      if (step === 0 && !isChoice && key !== 'Escape') return
      event.preventDefault()
      // Keeps the key from the composer, which would send, or cancel the reply.
      event.stopPropagation()
      const { offered, active, typed } = open
      if (step !== 0) {
        setCompletion({ ...open, active: (active + step + offered.length) % offered.length })
      } else if (isChoice) {
        const wanted = offered[active]
        if (wanted) take(wanted, typed)
      } else setCompletion(undefined)
    }
    const close = () => setCompletion(undefined)
    element.addEventListener('input', onInput, { signal })
    element.addEventListener('keydown', onKeyDown, { signal })
    element.addEventListener('blur', close, { signal })
    element.addEventListener('pointerdown', close, { signal })
    return () => added.abort()
  }, [field, latest])

  const isOpen = completion !== undefined
  const active = completion?.active
  useEffect(() => {
    const element = field.current
    if (!element || !isOpen) return
    element.setAttribute('aria-controls', listId)
    element.setAttribute('aria-autocomplete', 'list')
    element.setAttribute('aria-activedescendant', `${listId}-${active}`)
    return () => {
      for (const name of ['aria-controls', 'aria-autocomplete', 'aria-activedescendant']) {
        element.removeAttribute(name)
      }
    }
  }, [field, isOpen, active])

  if (!completion || !place) return null
  return createPortal(
    <div id={listId} className={styles.completion} role="listbox" aria-label="Emoji">
      {completion.offered.map(({ emoji, skin }, index) => (
        <div
          key={emoji.id}
          id={`${listId}-${index}`}
          className={styles.option}
          role="option"
          aria-selected={index === completion.active}
          tabIndex={-1}
          // The field keeps the focus.
          onPointerDown={(event) => {
            event.preventDefault()
            choose({ emoji, skin }, completion.typed)
          }}
        >
          <EmojiGlyph emoji={emoji} skin={skin} sheet={sheet} />
          <span>:{emoji.id}:</span>
        </div>
      ))}
    </div>,
    place,
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
