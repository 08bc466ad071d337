import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Messenger } from '../../sync/messenger-types.ts'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { isComposing } from '../../ui/forms/insert-text.ts'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import { focusFirst } from '../../ui/layers/find-focus-path.ts'
import { useEscape } from '../../ui/layers/use-escape.ts'
import styles from './chat-search-bar.module.css'
import { stepHit } from './merge-hits.ts'
import { type AskServer, useChatSearch } from './use-chat-search.ts'

export interface ChatSearchBarProps {
  messenger: Messenger
  peerId: string
  askServer: AskServer
  /** What was typed while its code was loading. */
  readTyped(): string
  /** The element that had the focus before, and those around it. */
  returnTo: readonly HTMLElement[]
  /** Increases with each request to search: the field takes the focus again. */
  wish: number
  onQuery(query: string): void
  /** Scrolls to a message and highlights it; false if this device does not have it. */
  onShow(messageId: string): Promise<boolean>
  /** Called on close if the previously focused element is gone. */
  onFocusLost(): void
  onClose(): void
}

/** The number of hits to load ahead of the shown one. */
const aheadCount = 50

/** Searches one conversation and steps through the hits, newest first. */
export function ChatSearchBar(props: ChatSearchBarProps) {
  const { messenger, peerId, askServer, wish } = props
  const [text, setText] = useState(props.readTyped)
  const [current, setCurrent] = useState<{ id: string; isHere: boolean }>()
  const field = useRef<HTMLInputElement>(null)
  const { search } = messenger
  const found = useChatSearch({ search, peerId, query: text, askServer })
  const { hits, query, hasMore, findMore } = found
  const latest = useLatest({ ...props, hits })
  const bar = useRef<HTMLElement>(null)
  const close = () => {
    const { activeElement } = document
    // Keeps the focus on a message that the person has moved to meanwhile.
    if (activeElement === document.body || bar.current?.contains(activeElement)) {
      if (!focusFirst(props.returnTo)) props.onFocusLost()
    }
    props.onClose()
  }
  useEscape(true, close)
  const index = hits.findIndex((hit) => hit._id === current?.id)

  const show = async (id: string) => {
    setCurrent({ id, isHere: true })
    const isHere = await latest.current.onShow(id)
    setCurrent((now) => (now?.id === id ? { id, isHere } : now))
  }
  const step = (direction: 1 | -1) => {
    const target = hits[index === -1 ? 0 : stepHit(index, direction, hits.length)]
    if (target) void show(target._id)
  }
  const onKeys = useLatest({ step, show, findMore })
  const missing = hasMore ? index + aheadCount - hits.length : -1

  const firstWish = useRef(wish)
  const { readTyped } = props
  const [readEarly] = useState(() => readTyped)
  // A letter may have come while this was being drawn.
  useLayoutEffect(() => setText(readEarly()), [readEarly])
  // In the layout phase: a key pressed between the two fields would reach neither.
  useLayoutEffect(() => {
    if (wish === 0) return
    field.current?.focus()
    // Selected, what was typed meanwhile would be overwritten by the next letter.
    if (wish !== firstWish.current) field.current?.select()
  }, [wish])

  useEffect(() => {
    latest.current.onQuery(query)
  }, [latest, query])

  // A new query shows its newest hit immediately; later arrivals do not replace the shown one. In the layout phase: a key
  // that comes once the hits are counted steps on from it.
  const firstId = hits[0]?._id
  const shownFor = useRef('')
  useLayoutEffect(() => {
    if (query === shownFor.current || firstId === undefined) return
    shownFor.current = query
    void onKeys.current.show(firstId)
  }, [onKeys, query, firstId])

  useEffect(() => {
    if (missing >= 0) onKeys.current.findMore()
  }, [onKeys, missing])

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'F3') return
      event.preventDefault()
      onKeys.current.step(event.shiftKey ? -1 : 1)
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [onKeys])

  return (
    <search className={styles.bar} ref={bar}>
      <div className={styles.box}>
        <Icon name="search" size={18} />
        <input
          ref={field}
          type="search"
          name="search-in-chat"
          placeholder="Search in this chat"
          aria-label="Search in this chat"
          autoComplete="off"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (isComposing(event.nativeEvent)) return
            if (event.key === 'Enter') step(event.shiftKey ? -1 : 1)
          }}
        />
        <span className={styles.count} role="status">
          {describeHits({ ...found, text, index })}
        </span>
      </div>
      <IconButton
        icon="up"
        label="Next result (F3)"
        disabled={hits.length === 0}
        onClick={() => step(1)}
      />
      <IconButton
        icon="chevron"
        label="Previous result (Shift+F3)"
        disabled={hits.length === 0}
        onClick={() => step(-1)}
      />
      <IconButton icon="close" label="Close search" onClick={close} />
      {current && !current.isHere && (
        <p className={styles.note} role="status">
          This message hasn't arrived on this device yet.
        </p>
      )}
    </search>
  )
}

function describeHits(found: {
  text: string
  query: string
  index: number
  hits: readonly unknown[]
  isComplete: boolean
  hasMore: boolean
}): string {
  const { text, query, index, hits, isComplete, hasMore } = found
  if (text.trim() === '' || text.trim() !== query) return ''
  const more = isComplete && !hasMore ? '' : '+'
  if (hits.length > 0) return `${Math.max(0, index) + 1} of ${hits.length}${more}`
  return isComplete ? 'No results found' : 'Searching...'
}
