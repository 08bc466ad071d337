import type { Pouch } from '../documents/pouch.ts'

/** What PouchDB's adapter keeps in memory of an open database, by its own names. */
export interface PouchCounters {
  /** The last place that a write has taken. */
  _updateSeq: number
  /** Of the undeleted documents. */
  _docCount: number
}

/** The adapter's `migrate` option: the only one that hands out what it keeps. */
export function receiveCounters(receive: (counters: PouchCounters) => void) {
  return {
    doMigrationOne(_name: string, counters: PouchCounters, done: () => void) {
      receive(counters)
      done()
    },
    doMigrationTwo(_counters: PouchCounters, _stores: unknown, done: () => void) {
      done()
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
 * Runs `work` while PouchDB neither reads nor writes documents of this database: as the compaction
 * of no document, in a transaction whose only read is `work`, and ends it there.
 */
export function whileLocked(pouch: Pouch, work: () => Promise<void>): Promise<void> {
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
