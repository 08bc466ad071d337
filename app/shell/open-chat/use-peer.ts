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
  const isLive = useLivePart(messenger.connection, ({ state }) => state === 'live')
  const isKnown = peer !== undefined || hasConversation
  const [failedId, setFailedId] = useState<string>()
  useEffect(() => {
    if (isKnown || failedId === peerId) return
    messenger.users.load(peerId).catch(() => setFailedId(peerId))
  }, [messenger, peerId, isKnown, failedId])
  useEffect(() => {
    // What the device knows is shown meanwhile; without a network nobody is asked.
    if (isLive) messenger.users.loadIfOld(peerId)
  }, [messenger, peerId, isLive])

  if (isKnown) return { state: 'known' }
  if (failedId === peerId) return { state: 'failed', retry: () => setFailedId(undefined) }
  return { state: 'loading' }
}
