import { useEffect } from 'react'
import { limits } from '../../schema/limits.ts'
import type { Messenger } from '../sync/messenger.ts'
import { usePageAttention } from '../ui/use-page-attention.ts'

/** Marks the conversation read, a second after something unread is in sight of somebody who is there. */
export function useMarkRead(
  messenger: Messenger,
  { peerId, isDue }: { peerId: string; isDue: boolean },
): void {
  const isSeen = usePageAttention() && isDue
  useEffect(() => {
    if (!isSeen) return
    const markRead = () => void messenger.commands.markRead(peerId)
    const timer = setTimeout(markRead, limits.markReadAfterMs)
    return () => clearTimeout(timer)
  }, [messenger, peerId, isSeen])
}
