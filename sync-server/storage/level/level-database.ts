import type { Pouch } from '../documents/pouch.ts'
import { documentCountKey, lastSeqKey } from './pouch-keys.ts'
import type { View } from './prefixed-leveldown.ts'

/** An open database: its keys, and PouchDB once somebody needs it. */
export interface OpenDatabase {
  view: View
  counters: Counters
  /** PouchDB for this database, opened at the first call. */
  pouch(): Promise<Pouch>
  /** Runs `work`, which writes keys, while PouchDB neither reads nor writes documents. */
  writeKeys(work: () => Promise<void>): Promise<void>
  /** Waits for PouchDB's pending work. */
  close(): Promise<void>
}

export interface Counters {
  /** The last place that a write has taken. */
  seq: number
  /** How many documents are not deleted. */
  count: number
}

/** The option by which PouchDB's adapter hands out what it keeps of a database. */
export type Migrate = ReturnType<typeof shareCounters>['migrate']

/** @param openPouch opens PouchDB with this option */
export async function openDatabase(
  view: View,
  openPouch: (migrate: Migrate) => Promise<Pouch>,
): Promise<OpenDatabase> {
  const [seq = 0, count = 0] = await Promise.all([lastSeqKey, documentCountKey].map(view.read))
  const counters: Counters = { seq: Number(seq), count: Number(count) }
  const state = {
    opening: undefined as Promise<Pouch> | undefined,
    writing: undefined as Promise<void> | undefined,
  }

  async function open(): Promise<Pouch> {
    const { migrate, begin } = shareCounters(counters)
    try {
      const pouch = await openPouch(migrate)
      begin()
      // Its readers must not see this write's metadata before, and a body after it.
      await state.writing?.catch(() => undefined)
      return pouch
    } catch (error) {
      state.opening = undefined
      throw error
    }
  }

  return {
    view,
    counters,
    pouch() {
      state.opening ??= open()
      return state.opening
    },
    async writeKeys(work) {
      const { opening } = state
      if (opening !== undefined) return await whileLocked(await opening, work)
      state.writing = work()
      await state.writing
    },
    async close() {
      const pouch = await state.opening?.catch(() => undefined)
      await pouch?.close()
    },
  }
}

/** What PouchDB's adapter keeps in memory of an open database, by its own names. */
interface PouchState {
  _updateSeq?: number
  _docCount: number
}

/**
 * Lets PouchDB count with ours: keys are written while it opens, and after it has read its own.
 * @returns `begin`: PouchDB is open, and what it counts from now on is right
 */
function shareCounters(counters: Counters) {
  const state = { isOpen: false }
  const share = (from: keyof Counters) => ({
    configurable: true,
    get: () => counters[from],
    set(value: number) {
      if (state.isOpen) counters[from] = value
    },
  })
  const migrate = {
    doMigrationOne(_name: string, adapter: PouchState, done: () => void) {
      Object.defineProperty(adapter, '_updateSeq', share('seq'))
      Object.defineProperty(adapter, '_docCount', share('count'))
      done()
    },
    doMigrationTwo(_adapter: PouchState, _stores: unknown, done: () => void) {
      done()
    },
  }
  return {
    migrate,
    begin() {
      state.isOpen = true
    },
  }
}

type Done = (error?: unknown) => void

interface Compacting {
  _doCompaction(id: string, revs: string[], options: { ctx: Context }, done: Done): void
}

/** The transaction in which PouchDB compacts a document; it begins with a read. */
interface Context {
  get(store: unknown, id: string, done: Done): void
}

const isDone = new Error('done')

/**
 * Runs `work` under PouchDB's own lock: as the compaction of no document, in a transaction whose
 * only read is `work`, and ends it there.
 */
function whileLocked(pouch: Pouch, work: () => Promise<void>): Promise<void> {
  // Part of the adapter, not of the published types.
  const adapter = pouch as unknown as Compacting
  return new Promise((resolve, reject) => {
    const get: Context['get'] = (_store, _id, done) => {
      work().then(() => done(isDone), done)
    }
    adapter._doCompaction('', [''], { ctx: { get } }, (error) => {
      if (error === isDone) resolve()
      else reject(error)
    })
  })
}
