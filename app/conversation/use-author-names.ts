import { useCallback, useMemo } from 'react'
import { type KnownPeer, type KnownPerson, nameOf } from '../database/storage/known-peer.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { type LiveSource, useLiveValue } from '../ui/hooks/use-live-value.ts'

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
    (authorId) => (isGroup ? (names.get(authorId) ?? nameOf(undefined)) : peerName),
    [isGroup, names, peerName],
  )
}

/** All these people's names as one value, which changes only when a name does. */
export function joinNames(
  userIds: readonly string[],
  get: (userId: string) => LiveSource<KnownPerson | undefined>,
): LiveSource<ReadonlyMap<string, string>> {
  const people = userIds.map((userId) => ({ userId, person: get(userId) }))
  let joined: ReadonlyMap<string, string> = new Map()

  function getSnapshot() {
    const next = people.map(({ userId, person }) => [userId, nameOf(person.getSnapshot())] as const)
    const isSame =
      next.length === joined.size && next.every(([userId, name]) => joined.get(userId) === name)
    if (!isSame) joined = new Map(next)
    return joined
  }

  return {
    getSnapshot,
    subscribe(listener) {
      const unsubscribes = people.map(({ person }) => person.subscribe(listener))
      return () => {
        for (const unsubscribe of unsubscribes) unsubscribe()
      }
    },
  }
}
