import { randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { atMost } from '../lib/at-most.ts'
import type { DatabaseHome, TallyingHome } from './documents/database-home.ts'
import type { Document } from './documents/documents.ts'
import type { DatabaseWrite } from './documents/transaction.ts'

/**
 * `noted`: each server's last note included, so that a retry after a lost answer does not add
 * twice.
 */
interface TallyDocument extends Document {
  tally: number
  noted?: Record<string, number>
}

/** A pending amount, possibly already added: unchanged until known to be stored. */
interface Note {
  number: number
  amount: number
}

export const talliesDatabase = 'tallies'
const rememberedMs = 10_000
const databasesRemembered = 50_000
/** A restarted server counts as another; the earlier one sends no further note. */
const serversRemembered = 20

/**
 * Keeps the tallies of a home that cannot write them with their documents, such as CouchDB: notes
 * the added amounts every few seconds. A killed server loses its unsent ones.
 * @param onError called when a note failed; it is retried
 */
export function createNotedTallies(
  home: DatabaseHome,
  onError: (error: unknown) => void,
  { noteEveryMs = 5_000 } = {},
): TallyingHome {
  const server = randomUUID()
  const added = new Map<string, number>()
  const notes = new Map<string, Note>()
  const known = new LRUCache<string, TallyDocument>({
    ...atMost(databasesRemembered),
    ttl: rememberedMs,
  })
  const state = {
    timer: undefined as NodeJS.Timeout | undefined,
    working: Promise.resolve(),
    number: 0,
  }

  function inTurn(work: () => Promise<void>): Promise<void> {
    const done = state.working.then(work)
    state.working = done.catch(() => undefined)
    return done
  }

  function recordLater() {
    state.timer ??= setTimeout(record, noteEveryMs).unref()
  }

  function add({ name, tally = 0 }: Pick<DatabaseWrite, 'name' | 'tally'>) {
    if (tally === 0) return
    added.set(name, (added.get(name) ?? 0) + tally)
    recordLater()
  }

  function record(): Promise<void> {
    clearTimeout(state.timer)
    state.timer = undefined
    return inTurn(recordAll).catch((error: unknown) => {
      recordLater()
      onError(error)
    })
  }

  async function recordAll() {
    state.number += 1
    for (const [name, amount] of added) {
      // After a lost answer the amount must not change.
      if (notes.has(name)) continue
      notes.set(name, { number: state.number, amount })
      added.delete(name)
    }
    if (notes.size === 0) return
    const ids = [...notes.keys()]
    try {
      const { result } = await home.transact<TallyDocument[]>({
        parts: [{ name: talliesDatabase, ids }],
        decide(read) {
          const stored = read<TallyDocument>(talliesDatabase)
          const put = [...notes].map(([_id, due]) => addNote(stored.get(_id) ?? empty(_id), due))
          return { writes: [{ name: talliesDatabase, put }], result: put }
        },
      })
      for (const document of result) known.set(document._id, document)
      notes.clear()
    } catch (error) {
      known.clear()
      throw error
    }
    if (added.size > 0) recordLater()
  }

  const isIn = ({ noted = {} }: TallyDocument, { number }: Note) => (noted[server] ?? 0) >= number

  function addNote(document: TallyDocument, due: Note): TallyDocument {
    if (isIn(document, due)) return document
    const { [server]: _before, ...others } = document.noted ?? {}
    const kept = Object.entries(others).slice(1 - serversRemembered)
    const noted = Object.fromEntries([...kept, [server, due.number]])
    return { _id: document._id, tally: document.tally + due.amount, noted }
  }

  async function readNoted(name: string): Promise<TallyDocument> {
    const found = known.get(name)
    if (found !== undefined) return found
    const stored = await home.use(talliesDatabase, (database) => database.readAll(new Set([name])))
    const document = (stored.get(name) as TallyDocument | undefined) ?? empty(name)
    known.set(name, document)
    return document
  }

  return {
    ...home,
    async readTally(name) {
      const document = await readNoted(name)
      const due = notes.get(name)
      const isDue = due !== undefined && !isIn(document, due)
      return document.tally + (isDue ? due.amount : 0) + (added.get(name) ?? 0)
    },
    async writeTally(name, tally) {
      await inTurn(async () => {
        await home.transact({
          parts: [{ name: talliesDatabase, ids: [name] }],
          decide: () => {
            const put = [{ _id: name, tally }]
            return { writes: [{ name: talliesDatabase, put }], result: undefined }
          },
        })
        known.delete(name)
      })
    },
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
      await inTurn(async () => {
        added.delete(name)
        notes.delete(name)
        await home.transact({
          parts: [{ name: talliesDatabase, ids: [name] }],
          decide: () => {
            const put = [{ _id: name, _deleted: true }]
            return { writes: [{ name: talliesDatabase, put }], result: undefined }
          },
        })
        known.delete(name)
      })
    },
    async close() {
      await record()
      clearTimeout(state.timer)
      await home.close()
    },
  }
}

function empty(_id: string): TallyDocument {
  return { _id, tally: 0 }
}
