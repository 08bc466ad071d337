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
  /** What the screen shows, whether or not somebody looks; undefined until that is known. */
  sight: VisibleRange | undefined
}

const nothing: VisibleRange = { upTo: 0, holdsEnd: false }

/**
 * Marks as read, only while somebody is there: all that has arrived when the conversation is opened, and
 * then what comes into sight, a second later. Source: section 4 of the specification.
 */
export function useReading({ messenger, peerId, view, isLoaded, sight }: ReadingOptions): void {
  const isThere = usePageAttention()
  const isOpenedMarked = useRef(false)
  useEffect(() => {
    // Not before it is loaded: the mark would hide where the unread begins.
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

/** A mark that the device could not store comes with the next that is seen, or the next opening. */
function leaveToNext() {}
