import { useEffect, useRef } from 'react'
import { limits } from '../../../schema/limits.ts'
import type { VisibleRange } from '../../database/views/reading.ts'
import type { ConversationView, Messenger } from '../../sync/messenger-types.ts'
import { usePageAttention } from '../../ui/hooks/use-page-attention.ts'

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
 * each a second after it becomes visible. Source: section 4 of the specification.
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
  useEffect(() => {
    if (upTo === 0) return
    const markRead = () => messenger.commands.markRead(peerId, upTo).catch(leaveToNext)
    const timer = setTimeout(markRead, limits.markReadAfterMs)
    return () => clearTimeout(timer)
  }, [messenger, peerId, upTo])
}

/** The next visible message or opening retries a mark that the device could not store. */
function leaveToNext() {}
