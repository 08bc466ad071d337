import { LRUCache } from 'lru-cache'
import { atMost } from '../../lib/at-most.ts'
import type { WriteDraft } from '../documents/draft-writes.ts'
import type { LevelStore, Operation } from './level-store.ts'
import { rangeOf } from './prefixed-leveldown.ts'

/** What has to be written for the tally of one database, and what it is then. */
interface TallyDraft {
  name: string
  tally: number
  generation: number
  operation: Operation
}

const databasesRemembered = 50_000

/** In the range of a database, and in none of PouchDB's own. */
const nameTally = (name: string) => `${rangeOf(name).gte}\xfftally`

/**
 * The tallies of the databases of a store, which nobody else writes. They are asked for with each push, and a reading of
 * a single key costs more than what is done with it: those of late are remembered.
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
    const tally = Number((await level.get(nameTally(name))) ?? 0)
    // Whatever has changed meanwhile may be newer than what was read.
    const isNewest = changes === state.changes && generation === store.generation()
    if (isNewest) known.set(name, { tally, generation })
    return tally
  }

  return {
    /** What the writes of a database have added to its tally since it was made. */
    read,
    /** What has to be written with these drafts. Between this and the writing nobody else may write. */
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
    /** These are stored. */
    note(drafts: readonly TallyDraft[]) {
      state.changes += 1
      for (const { name, tally, generation } of drafts) known.set(name, { tally, generation })
    },
    /** This database is not what it was. */
    forget(name: string) {
      state.changes += 1
      known.delete(name)
    },
  }
}

export type StoredTallies = ReturnType<typeof createStoredTallies>
