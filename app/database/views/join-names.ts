import { type KnownPerson, nameOf } from '../storage/known-peer.ts'
import type { LiveValue } from './live-value.ts'

/** All these people's names as one value, which changes only when a name does. */
export function joinNames(
  userIds: readonly string[],
  get: (userId: string) => LiveValue<KnownPerson | undefined>,
): LiveValue<ReadonlyMap<string, string>> {
  const people = [...new Set(userIds)].map((userId) => ({ userId, person: get(userId) }))
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
