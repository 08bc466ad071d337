import { LRUCache } from 'lru-cache'
import type { DatabaseHome, TallyingHome } from './database-home.ts'
import type { Document } from './documents.ts'
import { readDocuments } from './read-documents.ts'
import type { DatabaseWrite } from './transaction.ts'

interface TallyDocument extends Document {
  tally: number
}

const talliesDatabase = 'tallies'
const noteEveryMs = 5_000
const rememberedMs = 10_000
const databasesRemembered = 50_000

/**
 * Keeps the tallies of a home that cannot write them with what they count, as a CouchDB: what was added is noted every
 * few seconds. A server that is killed forgets what it has not noted.
 * @param onError told of what could not be noted: it is tried again
 */
export function createNotedTallies(
  home: DatabaseHome,
  onError: (error: unknown) => void,
): TallyingHome {
  const added = new Map<string, number>()
  const known = new LRUCache<string, number>({ max: databasesRemembered, ttl: rememberedMs })
  const state = { timer: undefined as NodeJS.Timeout | undefined, noting: Promise.resolve() }

  function add({ name, tally = 0 }: Pick<DatabaseWrite, 'name' | 'tally'>) {
    if (tally === 0) return
    added.set(name, (added.get(name) ?? 0) + tally)
    state.timer ??= setTimeout(note, noteEveryMs).unref()
  }

  function note() {
    clearTimeout(state.timer)
    state.timer = undefined
    state.noting = state.noting.then(noteAll).catch(onError)
    return state.noting
  }

  async function noteAll() {
    const noted = new Map(added)
    if (noted.size === 0) return
    added.clear()
    const ids = [...noted.keys()]
    try {
      await home.transact({
        parts: [{ name: talliesDatabase, ids }],
        decide(read) {
          const stored = read<TallyDocument>(talliesDatabase)
          const put = ids.map((_id) => ({
            _id,
            tally: (stored.get(_id)?.tally ?? 0) + (noted.get(_id) ?? 0),
          }))
          for (const { _id, tally } of put) known.set(_id, tally)
          return { writes: [{ name: talliesDatabase, put }], result: undefined }
        },
      })
    } catch (error) {
      known.clear()
      for (const [name, tally] of noted) add({ name, tally })
      throw error
    }
  }

  async function readNoted(name: string): Promise<number> {
    const found = known.get(name)
    if (found !== undefined) return found
    const stored = await home.use(talliesDatabase, (pouch) => readDocuments(pouch, new Set([name])))
    const tally = (stored.get(name) as TallyDocument | undefined)?.tally ?? 0
    known.set(name, tally)
    return tally
  }

  return {
    ...home,
    readTally: async (name) => (await readNoted(name)) + (added.get(name) ?? 0),
    async transact(transaction) {
      const decided = { writes: [] as readonly DatabaseWrite[] }
      const take = (isOf: (name: string) => boolean) => {
        for (const write of decided.writes) if (isOf(write.name)) add(write)
        decided.writes = decided.writes.filter((write) => !isOf(write.name))
      }
      const outcome = await home.transact({
        ...transaction,
        decide(read) {
          const decision = transaction.decide(read)
          decided.writes = decision.writes
          return decision
        },
        async onWritten(written) {
          take((name) => name === written)
          await transaction.onWritten?.(written)
        },
      })
      take(() => true)
      return outcome
    },
    async destroy(name) {
      await home.destroy(name)
      added.delete(name)
      const tally = await readNoted(name)
      if (tally !== 0) add({ name, tally: -tally })
    },
    async close() {
      await note()
      await home.close()
    },
  }
}
