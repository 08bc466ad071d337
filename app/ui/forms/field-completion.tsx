import { type Key, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { useLatest } from '../hooks/use-latest.ts'
import { logProblem } from '../product.ts'
import styles from './field-completion.module.css'
import { insertText, isComposing } from './insert-text.ts'

/** What may be meant by the text before the cursor, from `start` to `end`, in UTF-16 units. */
export interface Completions<Item> {
  start: number
  end: number
  items: readonly Item[]
  /** Nothing is asked: this is meant. */
  meant?: Item | undefined
}

interface FieldCompletionProps<Item> {
  field: RefObject<HTMLTextAreaElement | null>
  /** Where the list is drawn, above the field. */
  place: HTMLElement | null
  /** The list's element id: one for each kind of completion. */
  id: string
  /** The list's name for screen readers. */
  label: string
  /** Undefined where nothing may be meant. */
  find(
    text: string,
    cursor: number,
  ): Completions<Item> | undefined | Promise<Completions<Item> | undefined>
  keyOf(item: Item): Key
  draw(item: Item): ReactNode
  /** What is written in the place of what was typed. */
  write(item: Item): string
  /** Is something offered now? */
  onOpen?: ((isOpen: boolean) => void) | undefined
}

/** Offers what a word that is being typed may become: arrow keys, then Enter or Tab; or a tap. */
export function FieldCompletion<Item>(props: FieldCompletionProps<Item>) {
  const { field, place, id, label, keyOf, draw } = props
  const [open, setOpen] = useState<Completions<Item> & { active: number }>()
  const list = useRef<HTMLDivElement>(null)
  const choose = (item: Item, { start, end }: Completions<Item>) => {
    setOpen(undefined)
    insertText(field.current, props.write(item), { start, end })
  }
  const latest = useLatest({ open, choose, find: props.find, onOpen: props.onOpen })
  const isOpen = open !== undefined
  useEffect(() => latest.current.onOpen?.(isOpen), [isOpen, latest])

  useEffect(() => {
    const element = field.current
    if (!element) return
    const added = new AbortController()
    const { signal } = added
    let asked = 0

    async function complete(area: HTMLTextAreaElement) {
      const turn = ++asked
      const isPlace = area.selectionStart === area.selectionEnd
      const found = isPlace ? await latest.current.find(area.value, area.selectionStart) : undefined
      if (turn !== asked || signal.aborted) return
      if (found?.meant !== undefined) latest.current.choose(found.meant, found)
      else setOpen(found && found.items.length > 0 ? { ...found, active: 0 } : undefined)
    }

    const onInput = () =>
      void complete(element).catch((error: unknown) =>
        logProblem('A word could not be completed', error),
      )
    const onKeyDown = (event: KeyboardEvent) => {
      const { open: offered, choose: take } = latest.current
      if (!offered || isComposing(event)) return
      const { key } = event
      const step = { ArrowUp: -1, ArrowDown: 1 }[key] ?? 0
      const isChoice = (key === 'Enter' && !event.shiftKey) || key === 'Tab'
      if (step === 0 && !isChoice && key !== 'Escape') return
      event.preventDefault()
      // Keeps the key from the composer, which would send, or cancel the reply.
      event.stopPropagation()
      const { items, active } = offered
      if (step !== 0) {
        setOpen({ ...offered, active: (active + step + items.length) % items.length })
      } else if (isChoice) {
        const wanted = items[active]
        if (wanted !== undefined) take(wanted, offered)
      } else setOpen(undefined)
    }
    const close = () => {
      asked += 1
      setOpen(undefined)
    }
    element.addEventListener('input', onInput, { signal })
    element.addEventListener('keydown', onKeyDown, { signal })
    element.addEventListener('blur', close, { signal })
    element.addEventListener('pointerdown', close, { signal })
    return () => added.abort()
  }, [field, latest])

  const active = open?.active
  useEffect(() => {
    const element = field.current
    if (!element || !isOpen) return
    element.setAttribute('aria-controls', id)
    element.setAttribute('aria-autocomplete', 'list')
    element.setAttribute('aria-activedescendant', `${id}-${active}`)
    list.current?.children[active ?? 0]?.scrollIntoView({ block: 'nearest' })
    return () => {
      for (const name of ['aria-controls', 'aria-autocomplete', 'aria-activedescendant']) {
        element.removeAttribute(name)
      }
    }
  }, [field, id, isOpen, active])

  if (!open || !place) return null
  return createPortal(
    <div ref={list} id={id} className={styles.list} role="listbox" aria-label={label}>
      {open.items.map((item, index) => (
        <button
          type="button"
          key={keyOf(item)}
          id={`${id}-${index}`}
          className={styles.option}
          role="option"
          aria-selected={index === open.active}
          tabIndex={-1}
          // The field keeps the focus.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => choose(item, open)}
        >
          {draw(item)}
        </button>
      ))}
    </div>,
    place,
  )
}
