import type { EntityTable } from 'dexie'
import type { PublicKeys } from '../../../schema/encryption/account-keys.ts'
import { must } from '../../../schema/helpers/assertions.ts'
import { areValuesEqual } from '../../../schema/helpers/equality.ts'
import type { PublicUser } from '../../../schema/user.ts'
import { subscribeToTable } from './open-device-store.ts'

/** All keys that this device has seen of one person. */
export interface StoredPeerKeys {
  /** The person. */
  _id: string
  /** Newest first. */
  keys: PublicKeys[]
  /** When each key came, epoch ms, by its signature; not for those that were there first. */
  seenAt?: SeenAt
}

type SeenAt = Readonly<Record<string, number>>

/**
 * The public keys of other people, the same in every tab. They only ever become more: whoever was
 * once seen with keys never counts as somebody without, whatever a record says later.
 */
export interface PeerKeys {
  /** Newest first; empty for who has none. */
  list(userId: string): readonly PublicKeys[]
  /** When this device has seen this key come after others, epoch ms; undefined for the first ones. */
  findSeenAt(userId: string, keys: PublicKeys): number | undefined
  /** Takes the keys in these records. What is new counts at once, and is then stored. */
  take(people: readonly Pick<PublicUser, '_id' | 'keys' | 'formerKeys'>[]): Promise<void>
  /** Calls back with whose keys became more. Returns the function that ends it. */
  onChange(listener: (userIds: readonly string[]) => void): () => void
  close(): void
}

/** More than anybody makes; a server that sends others must not fill the device. */
const keysMax = 50

/** @throws when the device's store cannot be read */
export async function openPeerKeys(options: {
  table: EntityTable<StoredPeerKeys, '_id'>
  now: () => number
}): Promise<PeerKeys> {
  const { table, now } = options
  const known = new Map<string, { keys: readonly PublicKeys[]; seenAt: SeenAt }>()
  const listeners = new Set<(userIds: readonly string[]) => void>()

  /** @param stored when another tab has seen them come; what only a record says comes now */
  function add(userId: string, keys: readonly PublicKeys[], stored?: SeenAt): boolean {
    const before = known.get(userId) ?? { keys: [], seenAt: {} }
    const fresh = keys.filter((one) => !before.keys.some((other) => areValuesEqual(one, other)))
    if (fresh.length === 0) return false
    const all = [...fresh, ...before.keys].sort((a, b) => b.number - a.number)
    const at = now()
    const isFirst = stored === undefined && before.keys.length === 0
    const came = isFirst ? {} : Object.fromEntries(fresh.map((one) => [one.signature, at]))
    const seenAt = { ...(stored ?? came), ...before.seenAt }
    known.set(userId, { keys: all.slice(0, keysMax), seenAt })
    return true
  }

  function addAll(rows: readonly StoredPeerKeys[]): string[] {
    const changed = rows.flatMap(({ _id, keys, seenAt }) => (add(_id, keys, seenAt) ? [_id] : []))
    if (changed.length > 0) for (const listener of [...listeners]) listener(changed)
    return changed
  }

  const readStored = (rows: readonly StoredPeerKeys[]) =>
    addAll(rows.map((row) => ({ seenAt: {}, ...row })))
  readStored(await table.toArray())
  const unsubscribe = subscribeToTable(table, {
    onRows: (rows) => void readStored(rows),
    // A store that fails is read again at the next start.
    onError: () => {},
  })
  return {
    list: (userId) => known.get(userId)?.keys ?? [],
    findSeenAt: (userId, { signature }) => known.get(userId)?.seenAt[signature],
    async take(people) {
      const changed = addAll(
        people.flatMap(({ _id, keys, formerKeys = [] }) =>
          keys ? [{ _id, keys: [keys, ...formerKeys] }] : [],
        ),
      )
      if (changed.length === 0) return
      await table.bulkPut(
        changed.map((_id) => {
          const { keys, seenAt } = must(known.get(_id), 'the keys that were added')
          return { _id, keys: [...keys], seenAt }
        }),
      )
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      unsubscribe()
      listeners.clear()
    },
  }
}
