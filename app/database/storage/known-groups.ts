import type { EntityTable } from 'dexie'
import { areValuesEqual } from '../../../schema/helpers/equality.ts'
import type { KnownGroup } from './known-peer.ts'
import { subscribeToTable } from './open-device-store.ts'

/** The groups that this device knows, the same in every tab. */
export interface KnownGroups {
  /** Is the conversation with this id a group's? */
  has(groupId: string): boolean
  get(groupId: string): KnownGroup | undefined
  list(): readonly KnownGroup[]
  /** Takes these records. They count at once, and are then stored. */
  take(groups: readonly KnownGroup[]): Promise<void>
  /** Calls back with whose records have changed. Returns the function that ends it. */
  onChange(listener: (groupIds: readonly string[]) => void): () => void
  close(): void
}

/** @throws when the device's store cannot be read */
export async function openKnownGroups(table: EntityTable<KnownGroup, '_id'>): Promise<KnownGroups> {
  const known = new Map<string, KnownGroup>()
  const listeners = new Set<(groupIds: readonly string[]) => void>()

  function add(groups: readonly KnownGroup[]): KnownGroup[] {
    const changed = groups.filter((group) => !areValuesEqual(known.get(group._id), group))
    for (const group of changed) known.set(group._id, group)
    const ids = changed.map(({ _id }) => _id)
    if (ids.length > 0) for (const listener of [...listeners]) listener(ids)
    return changed
  }

  add(await table.toArray())
  const unsubscribe = subscribeToTable(table, {
    onRows: (rows) => void add(rows),
    // A store that fails is read again at the next start.
    onError: () => {},
  })
  return {
    has: (groupId) => known.has(groupId),
    get: (groupId) => known.get(groupId),
    list: () => [...known.values()],
    async take(groups) {
      const changed = add(groups)
      if (changed.length > 0) await table.bulkPut(changed)
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
