import { useEffect, useState } from 'react'
import { kindOf } from '../../../schema/conversation.ts'
import { ApiError } from '../../api/api-error.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { useLivePart, useLiveValue } from '../../ui/hooks/use-live-value.ts'

export type PeerState =
  | { state: 'known' }
  | { state: 'loading' }
  /** `isNobody`: the server answered that nobody is at this address. */
  | { state: 'failed'; isNobody: boolean; retry(): void }

/** Whether there is a person to show: from the device, else from the server. */
export function usePeer(messenger: Messenger, peerId: string): PeerState {
  const peer = useLiveValue(messenger.peers.get(peerId))
  const hasConversation = useLivePart(messenger.conversations, (rows) =>
    rows.some((row) => row.peerId === peerId),
  )
  const isLive = useLivePart(messenger.connection, ({ state }) => state === 'live')
  const isGroup = kindOf(peer) === 'group'
  const isKnown = peer !== undefined || hasConversation
  const [failed, setFailed] = useState<{ id: string; isNobody: boolean }>()
  const hasFailed = failed?.id === peerId
  useEffect(() => {
    if (isKnown || hasFailed) return
    messenger.users.load(peerId).catch((cause: unknown) => {
      const isNobody = cause instanceof ApiError && cause.status === 404
      setFailed({ id: peerId, isNobody })
    })
  }, [messenger, peerId, isKnown, hasFailed])
  useEffect(() => {
    // What the device knows is shown meanwhile; without a network nobody is asked.
    if (isLive && !isGroup) messenger.users.loadIfOld(peerId)
  }, [messenger, peerId, isLive, isGroup])

  if (isKnown) return { state: 'known' }
  if (hasFailed) {
    return { state: 'failed', isNobody: failed.isNobody, retry: () => setFailed(undefined) }
  }
  return { state: 'loading' }
}
