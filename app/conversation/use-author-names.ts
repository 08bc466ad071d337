import { useCallback, useMemo } from 'react'
import { type KnownPeer, nameOf } from '../database/storage/known-peer.ts'
import { joinNames } from '../database/views/join-names.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'

/**
 * Names whoever wrote or reacted in a chat. With one person that is only the other; in a group each
 * of these is read by itself. The same function until a name changes.
 * @param authorIds who occurs in what is shown
 */
export function useAuthorNames(options: {
  messenger: Pick<Messenger, 'users' | 'userId'>
  peer: KnownPeer | undefined
  authorIds: readonly string[]
}): (userId: string) => string {
  const { messenger, peer, authorIds } = options
  const { users, userId } = messenger
  const peerName = nameOf(peer)
  const isGroup = peer?.isGroup === true
  const key = isGroup ? [...new Set(authorIds)].filter((id) => id !== userId).join() : ''
  const names = useLiveValue(
    useMemo(() => joinNames(key === '' ? [] : key.split(','), users.get), [key, users]),
  )
  return useCallback(
    (authorId) => {
      if (!isGroup) return peerName
      // Whoever is quoted may have written nothing else that is shown.
      return names.get(authorId) ?? nameOf(users.get(authorId).getSnapshot())
    },
    [isGroup, names, peerName, users],
  )
}
