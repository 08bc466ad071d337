import { useCallback, useEffect, useRef } from 'react'
import { limits } from '../../../schema/limits.ts'
import type { VisibleRange } from '../../database/views/reading.ts'
import type { ConversationView, Messenger } from '../../sync/messenger-types.ts'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import { usePageAttention } from '../../ui/hooks/use-settled-count.ts'

/** While messages arrive faster than this, one mark covers several: each costs a request. */
export const markEveryMs = 2_000

interface ReadingOptions {
  messenger: Messenger
  peerId: string
  view: ConversationView
  isLoaded: boolean
  /** Is the conversation so empty that there is nothing to scroll? */
  isWholeInSight: boolean
}

const nothing: VisibleRange = { upTo: 0, holdsEnd: false }
const whole: VisibleRange = { upTo: 0, holdsEnd: true }

/**
 * Marks messages as read, only while the person is there: on opening all that have arrived, then
 * each a second after it becomes visible. Source: decision 61, section 4.
 * @returns takes the visible range, whether or not the person is looking. It changes while they scroll: a state would
 * rerender the chat for it
 */
export function useReading(options: ReadingOptions): (sight: VisibleRange) => void {
  const { messenger, peerId, view, isLoaded, isWholeInSight } = options
  const isThere = usePageAttention()
  const isOpenedMarked = useRef(false)
  useEffect(() => {
    // Not before loading ends: the mark would hide where the unread messages start.
    if (!isThere || !isLoaded || isOpenedMarked.current) return
    isOpenedMarked.current = true
    messenger.commands.markRead(peerId).catch(leaveToNext)
  }, [messenger, peerId, isThere, isLoaded])

  const sight = useRef<VisibleRange>(undefined)
  const timers = useRef<ReadTimers>(undefined)
  useEffect(() => {
    const started = createReadTimers((place) => {
      messenger.commands.markRead(peerId, place).catch(leaveToNext)
    })
    timers.current = started
    return () => started.see(0)
  }, [messenger, peerId])
  const tell = useCallback(() => {
    const seen = isWholeInSight ? whole : sight.current
    const shown = (isThere && seen) || nothing
    view.setVisibleRange(shown)
    timers.current?.see(shown.upTo)
  }, [view, isThere, isWholeInSight])
  useEffect(tell, [tell])
  const latest = useLatest(tell)
  return useCallback(
    (now) => {
      const before = sight.current
      if (before?.upTo === now.upTo && before.holdsEnd === now.holdsEnd) return
      sight.current = now
      latest.current()
    },
    [latest],
  )
}

/** The next visible message or opening retries a mark that the device could not store. */
function leaveToNext() {}

interface ReadTimers {
  /** The person sees everything up to this place; 0 for nothing. */
  see(upTo: number): void
}

/**
 * Calls `markRead` with a place once it has stayed visible for a second, with the latest such place
 * if it has just been called. A message that arrives meanwhile delays none before it.
 */
export function createReadTimers(markRead: (upTo: number) => void): ReadTimers {
  const due = new Map<number, ReturnType<typeof setTimeout>>()
  let resting: ReturnType<typeof setTimeout> | undefined
  /** Read, and not marked yet. */
  let readUpTo = 0

  function mark() {
    clearTimeout(resting)
    resting = undefined
    if (readUpTo === 0) return
    resting = setTimeout(mark, markEveryMs)
    const upTo = readUpTo
    readUpTo = 0
    markRead(upTo)
  }

  return {
    see(upTo) {
      for (const [place, timer] of due) {
        if (place <= upTo) continue
        clearTimeout(timer)
        due.delete(place)
      }
      // Whoever leaves has read what was visible for a second.
      if (upTo === 0) return mark()
      if (due.has(upTo)) return
      const timer = setTimeout(() => {
        due.delete(upTo)
        readUpTo = Math.max(readUpTo, upTo)
        if (resting === undefined) mark()
      }, limits.markReadAfterMs)
      due.set(upTo, timer)
    },
  }
}
