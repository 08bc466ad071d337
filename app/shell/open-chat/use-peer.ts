import { useEffect, useState } from 'react'
import type { Messenger } from '../../sync/messenger-types.ts'
import { useLivePart, useLiveValue } from '../../ui/hooks/use-live-value.ts'

export type PeerState =
  | { state: 'known' }
  | { state: 'loading' }
  | { state: 'failed'; retry(): void }

/** Whether there is a person to show: from the device, else from the server. */
export function usePeer(messenger: Messenger, peerId: string): PeerState {
  const peer = useLiveValue(messenger.users.get(peerId))
  const hasConversation = useLivePart(messenger.conversations, (rows) =>
    rows.some((row) => row.peerId === peerId),
  )
  const isKnown = peer !== undefined || hasConversation
  const [failedId, setFailedId] = useState<string>()
  useEffect(() => {
    if (isKnown || failedId === peerId) return
    messenger.users.load(peerId).catch(() => setFailedId(peerId))
  }, [messenger, peerId, isKnown, failedId])

  if (isKnown) return { state: 'known' }
  if (failedId === peerId) return { state: 'failed', retry: () => setFailedId(undefined) }
  return { state: 'loading' }
}
