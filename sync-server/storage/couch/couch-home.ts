import { LRUCache } from 'lru-cache'
import { atMost } from '../../lib/at-most.ts'
import { asStorageError } from '../databases/as-storage-error.ts'
import type { DatabaseHome } from '../databases/database-home.ts'
import { isPersonalDatabase } from '../databases/database-names.ts'
import { createReadyCheck } from '../databases/ready-check.ts'
import type { Signals } from '../databases/signals.ts'
import { StorageUnavailable } from '../databases/storage-unavailable.ts'
import { transactInTurn } from '../databases/transact-in-turn.ts'
import { isConflict, orUndefined, type Pouch } from '../documents/pouch.ts'
import type { TimeLimits } from './answer-in-time.ts'
import { createCouchRequests } from './couch-requests.ts'
import { createJoinedReads } from './joined-reads.ts'
import { createWriteQueues } from './write-queues.ts'

const databasesRemembered = 20_000
const closeWithinMs = 3_000
/** Some database must serve as the probe. */
const triedDatabase = 'accounts'

/**
 * Databases in a CouchDB 3, shared by any number of servers. Assumes that a database exists, and
 * creates it when CouchDB says that it does not.
 * @param couchdbUrl its root, with user and password if it needs them
 */
export function createCouchHome(options: {
  couchdbUrl: string
  signals: Signals
  limits?: Partial<TimeLimits> | undefined
}): DatabaseHome {
  const { couchdbUrl, signals, limits } = options
  const requests = createCouchRequests({ couchdbUrl, limits })
  const opened = new LRUCache<string, Pouch>(atMost(databasesRemembered))
  const underWay = new Set<Promise<unknown>>()
  const state = { isClosed: false }

  async function make(name: string): Promise<void> {
    // 412: it exists. One shard is enough for one person; more would cost files for nothing.
    const path = isPersonalDatabase(name) ? `${name}?q=1` : name
    await requests.send('PUT', path, { accepted: [412] })
  }

  async function find(name: string): Promise<Pouch> {
    const { connectPouch } = await import('./connect-pouch.ts')
    const pouch = opened.get(name) ?? connectPouch(requests.urlOf(name), requests.fetch)
    opened.set(name, pouch)
    return pouch
  }

  async function workOn<Result>(name: string, work: (pouch: Pouch) => Promise<Result>) {
    try {
      return await work(await find(name))
    } catch (error) {
      if (!isDatabaseGone(error)) throw error
      await make(name)
      return await work(await find(name))
    }
  }

  async function use<Result>(name: string, work: (pouch: Pouch) => Promise<Result>) {
    if (state.isClosed) throw new StorageUnavailable(`storage is closed; ${name} cannot be used`)
    const using = workOn(name, work)
    underWay.add(using)
    try {
      return await using
    } catch (error) {
      throw asStorageError(error)
    } finally {
      underWay.delete(using)
    }
  }

  async function checkReady() {
    if (state.isClosed) throw new StorageUnavailable('storage is closed')
    const id = '_local/ready'
    // Also checks the right to create databases, which each new person needs.
    await make(triedDatabase)
    await use(triedDatabase, async (pouch) => {
      const before = await orUndefined(pouch.get(id))
      // Another server may be probing at the same moment: that also proves that writes work.
      const written = pouch.put({ _id: id, ...(before && { _rev: before._rev }) })
      await written.catch((error: unknown) => {
        if (!isConflict(error)) throw error
      })
      await pouch.get(id)
    })
  }

  const queues = createWriteQueues({ use, signals })
  const read = createJoinedReads(use)

  return {
    use,
    read,
    async transact(transaction) {
      const [part, ...others] = transaction.parts
      if (!part || others.length > 0) {
        return await transactInTurn({ read, update: queues.update }, transaction)
      }
      const { name, ids } = part
      const { result, revs } = await queues.update(name, {
        ids,
        ...(part.isNew && { belief: new Map(ids.map((id) => [id, undefined])) }),
        decide(stored) {
          const { writes, result } = transaction.decide(() => stored as never)
          const foreign = writes.find((write, index) => index > 0 || write.name !== name)
          if (foreign) throw new Error(`a transaction on ${name} alone also wrote ${foreign.name}`)
          const { put = [], pushed = [] } = writes[0] ?? {}
          return { put, pushed, result }
        },
      })
      return { result, revs: () => revs }
    },
    readSeq: (name) => use(name, async (pouch) => (await pouch.info()).update_seq),
    async destroy(name) {
      await requests.send('DELETE', name, { accepted: [404] })
    },
    ready: createReadyCheck(checkReady),
    giveUpIn: requests.abortIn,
    stats: () => ({
      open: opened.size,
      inUse: underWay.size,
      queuedUpdates: queues.countWaiting(),
      syncedWrites: 0,
      keysWritten: 0,
    }),
    async close() {
      state.isClosed = true
      requests.abortIn(closeWithinMs)
      await Promise.allSettled(underWay)
    },
  }
}

function isDatabaseGone(error: unknown): boolean {
  const { reason } = (error ?? {}) as { reason?: unknown }
  return reason === 'no_db_file' || reason === 'Database does not exist.'
}
