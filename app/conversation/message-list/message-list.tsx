import { type ReactElement, type Ref, useImperativeHandle, useRef, useState } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import type { MessageWindow } from '../../database/views/message-window.ts'
import type { VisibleRange } from '../../database/views/reading.ts'
import type { ConversationView } from '../../sync/messenger-types.ts'
import { useArrowKeys } from '../../ui/hooks/use-arrow-keys.ts'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import type { MenuPoint } from '../../ui/menus/menu-action.ts'
import styles from '../styles/conversation.module.css'
import type { MessageRow } from './build-message-rows.ts'
import { FloatingDate } from './floating-date.tsx'
import { JumpButton } from './jump-button.tsx'
import type { ListPlace } from './list-place.ts'
import { TypingBubble } from './typing-bubble.tsx'
import { useFloatingDate } from './use-floating-date.ts'
import { useListScroll } from './use-list-scroll.ts'
import { useMessageEvents } from './use-message-events.ts'
import { useSight } from './use-sight.ts'
import { useSwipe } from './use-swipe.ts'

export interface MessageListHandle {
  showEnd(): void
  /** Scrolls a loaded message into the middle; false if it is not loaded. */
  show(messageId: string): boolean
  /** Undefined at the end. */
  readPlace(): ListPlace | undefined
}

interface MessageListProps {
  view: ConversationView
  window: MessageWindow
  rows: readonly MessageRow[]
  /** The scroll position when the person left. */
  startPlace: ListPlace | undefined
  /** Did rows change only at the start? */
  isShift: boolean
  /** Increases when the rows belong to another place. */
  generation: number
  peerName: string
  isTyping: boolean
  drawMessage(
    row: MessageRow,
    state: { isHovered: boolean; isPulled: boolean; isTabStop: boolean },
  ): ReactElement
  onSight(sight: VisibleRange): void
  /** Called for Home and End: the list rarely renders the conversation's ends. */
  onEndKey(key: 'Home' | 'End'): void
  /** Called with the day of a chosen date header: its start, epoch ms. */
  onDay(day: number): void
  onMenu(messageId: string, point: MenuPoint): void
  onClick(messageId: string): void
  canReply(messageId: string): boolean
  /** Called when a swipe on a message asks for a reply. */
  onReply(messageId: string): void
  ref: Ref<MessageListHandle>
}

/** The messages, rendered only where visible: 100,000 of them scroll like ten. */
export function MessageList(props: MessageListProps) {
  const { view, window, rows, startPlace, peerName, isTyping, drawMessage, onSight } = props
  const list = useRef<VirtualizerHandle>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const [hoveredId, setHoveredId] = useState<string>()
  const [pulledId, setPulledId] = useState<string>()
  const data = isTyping ? [...rows, 'typing' as const] : rows
  // Cached until this component renders again: scrolling alone rerenders no message.
  const drawn = new Map<MessageRow, ReactElement>()
  const latestRows = useLatest(rows)
  const unreadIndex = rows.findIndex((row) => row.isFirstUnread)
  const placeIndex = startPlace ? findRow(rows, startPlace.messageId) : -1
  const { isAtEnd, scrollToEnd, scrollToRow, onScroll, onResize } = useListScroll(list, {
    scroller,
    view,
    window,
    rowCount: data.length,
    place: startPlace && placeIndex !== -1 ? { ...startPlace, index: placeIndex } : undefined,
    unreadIndex: unreadIndex === -1 ? undefined : unreadIndex,
    isRendered(index) {
      const id = rows[index]?.message._id
      const element = scroller.current?.querySelector(`[data-message-id="${id}"]`)
      // The list hides what it has not measured.
      return !!element && getComputedStyle(element).visibility !== 'hidden'
    },
  })
  useArrowKeys(scroller, '[data-message-id]', props.onEndKey)
  const cancelSwipe = useSwipe(scroller, {
    canSwipe: props.canReply,
    onPull: setPulledId,
    onReply: props.onReply,
  })
  useMessageEvents(scroller, {
    onMenu(messageId, point) {
      // The finger that held it may still move.
      cancelSwipe()
      props.onMenu(messageId, point)
    },
    onHover: setHoveredId,
    onClick: props.onClick,
  })
  const look = useSight(list, { rows, isAtEnd, onSight })
  const { date, onMove } = useFloatingDate(scroller, list, { rows, isAtEnd })

  const showEnd = () => {
    if (window.hasNewer) void view.jumpToNewest().then(scrollToEnd)
    else scrollToEnd()
  }
  useImperativeHandle(props.ref, () => ({
    showEnd,
    show(messageId) {
      const findIndex = () => findRow(latestRows.current, messageId)
      const isHere = findIndex() !== -1
      if (isHere) scrollToRow(findIndex)
      return isHere
    },
    readPlace() {
      const handle = list.current
      const element = scroller.current
      if (!handle || !element || isAtEnd) return undefined
      // The list's own `scrollOffset` is a frame late: measured rows may have moved it meanwhile.
      const { scrollTop } = element
      const index = handle.findItemIndex(scrollTop)
      const row = rows[index]
      const offsetPx = scrollTop - handle.getItemOffset(index)
      return row && { messageId: row.message._id, offsetPx }
    },
  }))

  return (
    <div className={styles.area}>
      <div
        className={styles.scroller}
        ref={scroller}
        role="log"
        aria-live="off"
        // At the end the newest message takes the focus; further up it may not be rendered.
        tabIndex={isAtEnd ? undefined : 0}
        aria-label={`Messages with ${peerName}`}
      >
        <div className={styles.spacer} />
        <Virtualizer
          key={props.generation}
          ref={list}
          scrollRef={scroller}
          shift={props.isShift}
          onScroll={() => {
            onScroll()
            look()
            onMove()
          }}
          onResize={onResize}
          data={data}
        >
          {(row, index) => {
            if (row === 'typing') return <TypingBubble key="typing" name={peerName} />
            const element = drawn.get(row) ?? (
              <div key={row.message._id}>
                <RowDividers row={row} onDay={props.onDay} />
                {drawMessage(row, {
                  isHovered: row.message._id === hoveredId,
                  isPulled: row.message._id === pulledId,
                  isTabStop: index === rows.length - 1,
                })}
              </div>
            )
            drawn.set(row, element)
            return element
          }}
        </Virtualizer>
      </div>
      <FloatingDate ref={date} />
      {!isAtEnd && (
        <JumpButton
          newCount={window.unseenCount}
          onJump={(isInside) => (isInside ? props.onEndKey('End') : showEnd())}
        />
      )}
    </div>
  )
}

function findRow(rows: readonly MessageRow[], messageId: string): number {
  return rows.findIndex((row) => row.message._id === messageId)
}

function RowDividers({ row, onDay }: { row: MessageRow; onDay(day: number): void }) {
  return (
    <>
      {row.dayLabel && (
        <div className={styles.day}>
          <button
            type="button"
            tabIndex={-1}
            data-tooltip="Go to date"
            onClick={() => onDay(row.day)}
          >
            <span>{row.dayLabel}</span>
          </button>
        </div>
      )}
      {row.isFirstUnread && (
        <div className={styles.unread}>
          <span>Unread messages</span>
        </div>
      )}
    </>
  )
}
