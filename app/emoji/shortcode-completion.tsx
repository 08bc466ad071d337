import { type RefObject, useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { insertText } from '../ui/fields/insert-text.ts'
import { isComposing } from '../ui/fields/is-composing.ts'
import { useLatest } from '../ui/hooks/use-latest.ts'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import { logProblem } from '../ui/log-problem.ts'
import { emojiSettings } from './catalogue/emoji-settings.ts'
import { findShortcode, type TypedShortcode } from './catalogue/find-shortcode.ts'
import { type OfferedEmoji, offer } from './catalogue/list-sections.ts'
import { loadEmojiData } from './catalogue/load-emoji-data.ts'
import { useSheet } from './catalogue/use-sheet.ts'
import styles from './emoji-tool.module.css'
import { EmojiGlyph } from './picker/emoji-glyph.tsx'

const offeredMax = 6
const listId = 'emoji-completion'

interface Completion {
  typed: TypedShortcode
  offered: readonly OfferedEmoji[]
  active: number
}

/**
 * Offers emoji for a short name being typed, such as `:smile`; `:smile:` becomes one immediately.
 */
export function ShortcodeCompletion(props: {
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
