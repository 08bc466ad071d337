import type { DatabasePool } from './create-database-pool.ts'
import type { Signals } from './create-signals.ts'
import { createWriteQueue, type Decide, type WriteQueue } from './create-write-queue.ts'
import type { Document } from './documents.ts'

/** One write queue for each database that is being written; each write is announced on `signals`. */
export function createWriteQueues(options: { pool: DatabasePool; signals: Signals }) {
  const { pool, signals } = options
  const busy = new Map<string, WriteQueue>()
  const unsure = { names: new Set<string>(), writes: 0 }

  function open(name: string): WriteQueue {
    const queue = createWriteQueue({
      use: (work) => pool.use(name, work),
      async onWritten(pouch) {
        signals.notify(name, (await pouch.info()).update_seq)
        unsure.names.delete(name)
      },
      onUnsure() {
        unsure.names.add(name)
        unsure.writes += 1
        // No seq that any database gives: who waits looks for themselves how far it is.
        signals.notify(name, `unsure ${unsure.writes}`)
      },
      isUnsure: () => unsure.names.has(name),
      onIdle: () => busy.delete(name),
    })
    busy.set(name, queue)
    return queue
  }

  return {
    update<Body extends Document, Result>(
      name: string,
      ids: readonly string[],
      decide: Decide<Body, Result>,
    ) {
      return (busy.get(name) ?? open(name)).update(ids, decide)
    },
    countWaiting: () => [...busy.values()].reduce((sum, queue) => sum + queue.countWaiting(), 0),
  }
}

export type WriteQueues = ReturnType<typeof createWriteQueues>
