import {
  type ReactElement,
  type ReactNode,
  type Ref,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
} from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { isIncoming } from '../../../schema/message.ts'
import type { MessageWindow } from '../../database/views/message-window.ts'
import type { VisibleRange } from '../../database/views/reading.ts'
import type { ConversationView } from '../../sync/messenger-types.ts'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { formatBadge } from '../../ui/format/format-amounts.ts'
import { useArrowKeys } from '../../ui/hooks/use-arrow-keys.ts'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import { useRisingRows } from '../../ui/hooks/use-row-motion.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import { tapFinger } from '../../ui/menus/long-press.ts'
import type { MenuPoint } from '../../ui/menus/menu-action.ts'
import styles from '../styles/conversation.module.css'
import { findInRow, type MessageRow, newestOf } from './build-message-rows.ts'
import { FloatingDate, type FloatingDateHandle } from './floating-date.tsx'
import { TypingBubble } from './no-messages.tsx'
import type { ListPlace } from './step-window.ts'
import { useListScroll } from './use-list-scroll.ts'
import { findMessageElement, useMessageEvents } from './use-message-events.ts'

const settleMs = 150

/** The visible height from which a message counts as seen. */
const shownPx = 24

/** The floating date's height from the top: a date header there replaces it. */
const reachPx = 44

const headerPx = 20

/** A swipe that starts nearer to the left edge is the browser's Back gesture. */
const edgePx = 24

/** A finger that has moved less has no direction yet. */
const slackPx = 10

/** The pull that triggers a reply; beyond it the message follows the finger only a little. */
const farPx = 56

const followShare = 0.2

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
  ownId: string
  peerName: string
  /** Leads from a line about encryption to the page about it. */
  onLearnEncryption(): void
  isTyping: boolean
  /** Leads to the oldest unseen message that mentions this person. `isInside`: the button has the focus, which it may lose. */
  onMention(isInside: boolean): void
  drawMessage(
    row: MessageRow,
    state: { hoveredId: string | undefined; isPulled: boolean; isTabStop: boolean },
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
  const rowIds = rows.map(({ message }) => message._id)
  useRisingRows(rowIds, {
    isAtEnd: !window.hasNewer,
    find: (id) => scroller.current?.querySelector(`[data-message-id="${id}"]`),
  })
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
  const look = useSight(list, { rows, isAtEnd, ownId: props.ownId, onSight })
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
          // Else the newest is measured, and so shown, a frame later than those above it.
          keepMounted={isAtEnd ? newestIndexes(data.length) : undefined}
        >
          {(row, index) => {
            if (row === 'typing') return <TypingBubble key="typing" name={peerName} />
            const element = drawn.get(row) ?? (
              <div key={row.message._id}>
                <RowDividers row={row} onDay={props.onDay} />
                {drawMessage(row, {
                  hoveredId: hoveredId && findInRow(row, hoveredId)?._id,
                  isPulled: pulledId !== undefined && findInRow(row, pulledId) !== undefined,
                  isTabStop: index === rows.length - 1,
                })}
                {row.isEncryptedThroughout && (
                  <EncryptionLine onOpen={props.onLearnEncryption}>
                    This group is end-to-end encrypted.
                  </EncryptionLine>
                )}
                {row.isEncryptedAfter && (
                  <EncryptionLine onOpen={props.onLearnEncryption}>
                    End-to-end encrypted from here on.
                  </EncryptionLine>
                )}
                {row.isKeyChangedAfter && (
                  <EncryptionLine onOpen={props.onLearnEncryption}>
                    {peerName}'s security code changed.
                  </EncryptionLine>
                )}
              </div>
            )
            drawn.set(row, element)
            return element
          }}
        </Virtualizer>
      </div>
      <FloatingDate ref={date} />
      {!isAtEnd && (
        <div className={styles.jumpPlace}>
          {window.unseenMentions.length > 0 && (
            <JumpButton
              icon="at"
              label="Go to where you were mentioned"
              newCount={window.unseenMentions.length}
              onJump={props.onMention}
            />
          )}
          <JumpButton
            icon="down"
            label="Go to the newest message"
            newCount={window.unseenCount}
            onJump={(isInside) => (isInside ? props.onEndKey('End') : showEnd())}
          />
        </div>
      )}
    </div>
  )
}

function newestIndexes(length: number): readonly number[] {
  return [length - 2, length - 1].filter((index) => index >= 0)
}

function findRow(rows: readonly MessageRow[], messageId: string): number {
  return rows.findIndex((row) => findInRow(row, messageId) !== undefined)
}

function RowDividers({ row, onDay }: { row: MessageRow; onDay(day: number): void }) {
  return (
    <>
      {row.dayLabel && !row.isAmidDay && (
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

/** Not a message: the chat is encrypted, or is from here on, or the other person's key is another. */
function EncryptionLine({ onOpen, children }: { onOpen(): void; children: ReactNode }) {
  return (
    <div className={styles.encryptionLine}>
      <button type="button" onClick={onOpen}>
        <Icon name="lock" size={14} />
        <span>
          {children} <span className={styles.more}>Learn more</span>
        </span>
      </button>
    </div>
  )
}

interface JumpButtonProps {
  icon: 'down' | 'at'
  label: string
  /** The number of unseen messages that it leads to. */
  newCount: number
  /** `isInside`: the button has the focus, which it loses when it disappears. */
  onJump(isInside: boolean): void
}

function JumpButton({ icon, label, newCount, onJump }: JumpButtonProps) {
  return (
    <div className={styles.jumpOne}>
      <IconButton
        className={styles.jump}
        icon={icon}
        label={newCount > 0 ? `${label}, ${newCount} new` : label}
        // The field keeps the focus, and a phone's keyboard stays open.
        onPointerDown={(event) => event.preventDefault()}
        onClick={({ currentTarget }) => onJump(currentTarget === document.activeElement)}
      />
      {newCount > 0 && (
        <span className={styles.jumpCount} aria-hidden="true">
          {formatBadge(newCount)}
        </span>
      )}
    </div>
  )
}

interface FloatingDateOptions {
  rows: readonly MessageRow[]
  isAtEnd: boolean
}

/** Updates the floating date when the person scrolls; the list's own moves show nothing. */
function useFloatingDate(
  scroller: RefObject<HTMLElement | null>,
  list: RefObject<VirtualizerHandle | null>,
  options: FloatingDateOptions,
) {
  const date = useRef<FloatingDateHandle>(null)
  const isByHand = useRef(false)
  const latest = useLatest(options)

  useEffect(() => {
    const element = scroller.current
    if (!element) return
    const added = new AbortController()
    const setByHand = () => {
      isByHand.current = true
    }
    for (const name of ['wheel', 'touchmove', 'pointerdown', 'keydown']) {
      element.addEventListener(name, setByHand, { passive: true, signal: added.signal })
    }
    return () => added.abort()
  }, [scroller])

  const onMove = useCallback(() => {
    const handle = list.current
    if (!handle || !isByHand.current) return
    const { rows, isAtEnd } = latest.current
    const index = handle.findItemIndex(handle.scrollOffset + reachPx)
    const isHeaderThere =
      rows[index]?.dayLabel !== undefined &&
      !rows[index]?.isAmidDay &&
      handle.getItemOffset(index) > handle.scrollOffset - headerPx
    const day = rows.findLast((row, place) => place <= index && row.dayLabel !== undefined)
    date.current?.show(isAtEnd || isHeaderThere ? undefined : day?.dayLabel)
  }, [list, latest])

  return { date, onMove }
}

interface SightOptions {
  ownId: string
  rows: readonly MessageRow[]
  isAtEnd: boolean
  onSight(sight: VisibleRange): void
}

/**
 * Reports the visible range soon after the list has moved or grown. Call the returned function when
 * the list moves.
 */
function useSight(list: RefObject<VirtualizerHandle | null>, options: SightOptions): () => void {
  const latest = useLatest(options)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  const tell = useCallback(() => {
    clearTimeout(timer.current)
    timer.current = undefined
    const { rows, isAtEnd, ownId, onSight } = latest.current
    const handle = list.current
    if (!handle) return
    const bottom = handle.scrollOffset + handle.viewportSize - shownPx
    const last = isAtEnd ? rows.length - 1 : handle.findItemIndex(bottom)
    const newest = rows.findLast(
      ({ message }, index) => index <= last && isIncoming(message, ownId),
    )
    onSight({ upTo: newest ? newestOf(newest).orderedAt : 0, holdsEnd: isAtEnd })
  }, [list, latest])

  const look = useCallback(() => {
    // A throttle, not a debounce: a person who scrolls continuously reads too.
    timer.current ??= setTimeout(tell, settleMs)
  }, [tell])

  const { rows, isAtEnd } = options
  useEffect(() => {
    if (isAtEnd) return
    // Immediately: after leaving the end, the person does not see arrivals while a scroll settles.
    latest.current.onSight({ upTo: 0, holdsEnd: false })
  }, [isAtEnd, latest])
  useEffect(() => {
    if (rows.length > 0 && isAtEnd) tell()
    else look()
  }, [rows, isAtEnd, look, tell])
  useEffect(() => () => clearTimeout(timer.current), [])
  return look
}

interface SwipeOptions {
  canSwipe(messageId: string): boolean
  /** Called with the message being pulled; undefined on release. */
  onPull(messageId: string | undefined): void
  /** Called when the pull is far enough. */
  onReply(messageId: string): void
}

/**
 * Lets a finger pull a message to the right for a reply. `--pulled-px` and `--pulled` (0–1) hold
 * the distance.
 * @returns ends the swipe that may have begun, as when the finger has opened a menu
 */
function useSwipe(container: RefObject<HTMLElement | null>, options: SwipeOptions): () => void {
  const latest = useLatest(options)
  const [swipe] = useState(createSwipe)
  useEffect(() => {
    const element = container.current
    if (!element) return

    function pullOf(target: EventTarget | null) {
      const message = findMessageElement(target)
      if (!message || !latest.current.canSwipe(message.id)) return undefined
      // An album moves as a whole.
      const { style } = message.element.closest<HTMLElement>('[data-album]') ?? message.element
      return {
        onPull(px: number, share: number) {
          style.setProperty('--pulled-px', `${px}px`)
          style.setProperty('--pulled', String(share))
          latest.current.onPull(message.id)
        },
        onEnd(isFar: boolean) {
          style.removeProperty('--pulled-px')
          style.removeProperty('--pulled')
          latest.current.onPull(undefined)
          if (!isFar) return
          tapFinger()
          latest.current.onReply(message.id)
        },
      }
    }

    const listeners = {
      pointerdown: (event: PointerEvent) => swipe.begin(event, pullOf(event.target)),
      pointermove: swipe.move,
      pointerup: swipe.end,
      pointercancel: swipe.cancel,
    }
    const added = new AbortController()
    for (const [name, listener] of Object.entries(listeners)) {
      element.addEventListener(name, listener as EventListener, { signal: added.signal })
    }
    return () => {
      swipe.cancel()
      added.abort()
    }
  }, [container, latest, swipe])
  return swipe.cancel
}

interface Finger {
  pointerId: number
  pointerType: string
  clientX: number
  clientY: number
}

interface SwipeEvents {
  /** Called with the pull in px and as a share of the way to a reply, 0–1. */
  onPull(px: number, share: number): void
  /** Called when the finger lifts or the browser cancels the gesture. */
  onEnd(isFar: boolean): void
}

interface Swipe {
  begin(finger: Finger, events: SwipeEvents | undefined): void
  move(finger: Finger): void
  /** The finger has lifted. */
  end(): void
  /** The browser has taken over the gesture, as for scrolling. */
  cancel(): void
}

/**
 * A one-finger swipe to the right. One that first moves up, down or left is ignored until it lifts.
 */
export function createSwipe(): Swipe {
  let start: (Finger & { events: SwipeEvents }) | undefined
  let pulled: number | undefined

  function finish(isFar: boolean) {
    const { events } = start ?? {}
    const wasPulled = pulled !== undefined
    start = undefined
    pulled = undefined
    if (wasPulled) events?.onEnd(isFar)
  }

  return {
    begin({ pointerId, pointerType, clientX, clientY }, events) {
      // A second finger is another gesture.
      finish(false)
      if (pointerType !== 'touch' || !events || clientX < edgePx) return
      start = { pointerId, pointerType, clientX, clientY, events }
    },
    move({ pointerId, clientX, clientY }) {
      if (start?.pointerId !== pointerId) return
      const [right, down] = [clientX - start.clientX, Math.abs(clientY - start.clientY)]
      if (pulled === undefined) {
        if (Math.hypot(right, down) < slackPx) return
        if (right < 2 * down) return finish(false)
      }
      pulled = Math.max(0, right - slackPx)
      const follow = Math.max(0, pulled - farPx) * followShare
      start.events.onPull(Math.min(pulled, farPx) + follow, Math.min(1, pulled / farPx))
    },
    end: () => finish(pulled !== undefined && pulled >= farPx),
    cancel: () => finish(false),
  }
}
