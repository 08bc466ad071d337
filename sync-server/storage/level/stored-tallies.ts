import { LRUCache } from 'lru-cache'
import { atMost } from '../../lib/at-most.ts'
import type { WriteDraft } from '../documents/draft-writes.ts'
import type { LevelStore, Operation } from './level-store.ts'
import { rangeOf } from './prefixed-leveldown.ts'

/** The tally write for one database, and the resulting tally. */
interface TallyDraft {
  name: string
  tally: number
  generation: number
  operation: Operation
}

const databasesRemembered = 50_000

/** In the database's range, and outside PouchDB's own ones. */
const nameTally = (name: string) => `${rangeOf(name).gte}\xfftally`

/**
 * The tallies of a store's databases, with this process as the only writer. Each push reads them,
 * and reading a single key costs more than using it: caches recent ones.
 */
export function createStoredTallies(store: LevelStore) {
  const known = new LRUCache<string, { tally: number; generation: number }>({
    ...atMost(databasesRemembered),
  })
  const state = { changes: 0 }

  async function read(name: string): Promise<number> {
    const generation = store.generation()
    const found = known.get(name)
    if (found?.generation === generation) return found.tally
    const { changes } = state
    const level = store.readNow() ?? (await store.read())
    const stored = await level.get(nameTally(name)).catch((error: unknown) => {
      throw store.refuseRead(error)
    })
    const tally = Number(stored ?? 0)
    // A change meanwhile may be newer than this read.
    const isNewest = changes === state.changes && generation === store.generation()
    if (isNewest) known.set(name, { tally, generation })
    return tally
  }

  return {
    /** What a database's writes have added to its tally since its creation. */
    read,
    /** The tally writes for these drafts. Nobody else may write between this and storing them. */
    async draft(drafts: ReadonlyMap<string, WriteDraft>): Promise<TallyDraft[]> {
      const counted = [...drafts].filter(([, draft]) => draft.tally() !== 0)
      const generation = store.generation()
      return await Promise.all(
        counted.map(async ([name, draft]) => {
          const tally = (await read(name)) + draft.tally()
          const operation = { type: 'put' as const, key: nameTally(name), value: String(tally) }
          return { name, tally, generation, operation }
        }),
      )
    },
    async write(name: string, tally: number): Promise<void> {
      known.delete(name)
      await store.write([{ type: 'put', key: nameTally(name), value: String(tally) }])
    },
    /** Records that these are stored. */
    record(drafts: readonly TallyDraft[]) {
      state.changes += 1
      for (const { name, tally, generation } of drafts) known.set(name, { tally, generation })
    },
    /** Drops the cached tally: the database changed otherwise. */
    forget(name: string) {
      state.changes += 1
      known.delete(name)
    },
  }
}

export type StoredTallies = ReturnType<typeof createStoredTallies>
