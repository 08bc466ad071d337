import { useEffect, useRef } from 'react'
import type { VisibleRange } from '../../database/views/reading.ts'
import type { ConversationView, Messenger } from '../../sync/messenger-types.ts'
import { usePageAttention } from '../../ui/hooks/use-page-attention.ts'
import { createReadTimers, type ReadTimers } from './read-timers.ts'

interface ReadingOptions {
  messenger: Messenger
  peerId: string
  view: ConversationView
  isLoaded: boolean
  /** The visible range, whether or not the person is looking; undefined until known. */
  sight: VisibleRange | undefined
}

const nothing: VisibleRange = { upTo: 0, holdsEnd: false }

/**
 * Marks messages as read, only while the person is there: on opening all that have arrived, then
 * each a second after it becomes visible. Source: decision 61, section 4.
 */
export function useReading({ messenger, peerId, view, isLoaded, sight }: ReadingOptions): void {
  const isThere = usePageAttention()
  const isOpenedMarked = useRef(false)
  useEffect(() => {
    // Not before loading ends: the mark would hide where the unread messages start.
    if (!isThere || !isLoaded || isOpenedMarked.current) return
    isOpenedMarked.current = true
    messenger.commands.markRead(peerId).catch(leaveToNext)
  }, [messenger, peerId, isThere, isLoaded])

  useEffect(() => view.setVisibleRange((isThere && sight) || nothing), [view, isThere, sight])

  const upTo = (isThere && sight?.upTo) || 0
  const timers = useRef<ReadTimers>(undefined)
  useEffect(() => {
    const started = createReadTimers((place) => {
      messenger.commands.markRead(peerId, place).catch(leaveToNext)
    })
    timers.current = started
    return () => started.see(0)
  }, [messenger, peerId])
  useEffect(() => timers.current?.see(upTo), [upTo])
}

/** The next visible message or opening retries a mark that the device could not store. */
function leaveToNext() {}
