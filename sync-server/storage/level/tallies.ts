import type { WriteDraft } from '../draft-writes.ts'
import type { LevelStore, Operation } from './level-store.ts'
import { rangeOf } from './prefixed-leveldown.ts'

/** In the range of a database, and in none of PouchDB's own. */
const nameTally = (name: string) => `${rangeOf(name).gte}\xfftally`

/** What the writes of a database have added to its tally since it was made. */
export async function readTally(store: LevelStore, name: string): Promise<number> {
  const level = store.readNow() ?? (await store.read())
  return Number((await level.get(nameTally(name))) ?? 0)
}

/** What has to be written with these drafts. Between this and the writing nobody else may write. */
export async function addTallies(
  store: LevelStore,
  drafts: ReadonlyMap<string, WriteDraft>,
): Promise<{ name: string; operation: Operation }[]> {
  const counted = [...drafts].filter(([, draft]) => draft.tally() !== 0)
  return await Promise.all(
    counted.map(async ([name, draft]) => {
      const value = String((await readTally(store, name)) + draft.tally())
      return { name, operation: { type: 'put' as const, key: nameTally(name), value } }
    }),
  )
}
