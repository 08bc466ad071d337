import type { Signals } from '../databases/signals.ts'
import type { Pouch } from '../documents/pouch.ts'
import { createWriteQueue, type QueuedUpdate, type WriteQueue } from './write-queue.ts'

/** One write queue for each database in use; announces each write on `signals`. */
export function createWriteQueues(options: {
  use: <Result>(name: string, work: (pouch: Pouch) => Promise<Result>) => Promise<Result>
  signals: Signals
}) {
  const { use, signals } = options
  const busy = new Map<string, WriteQueue>()
  const unsure = new Set<string>()
  const announced = { writes: 0 }

  /**
   * No database gives this seq: waiting readers look for themselves, and nobody else has to ask.
   */
  function announce(name: string) {
    announced.writes += 1
    signals.notify(name, `written ${announced.writes}`)
  }

  function open(name: string): WriteQueue {
    const queue = createWriteQueue({
      use: (work) => use(name, work),
      onWritten() {
        announce(name)
        unsure.delete(name)
      },
      onUnsure() {
        unsure.add(name)
        announce(name)
      },
      isUnsure: () => unsure.has(name),
      onIdle: () => busy.delete(name),
    })
    busy.set(name, queue)
    return queue
  }

  return {
    update: <Result>(name: string, update: QueuedUpdate<Result>) =>
      (busy.get(name) ?? open(name)).update(update),
    countWaiting: () => [...busy.values()].reduce((sum, queue) => sum + queue.countWaiting(), 0),
  }
}
