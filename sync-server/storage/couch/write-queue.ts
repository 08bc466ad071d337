import { StorageUnavailable } from '../databases/storage-unavailable.ts'
import type { Belief } from '../databases/transact-in-turn.ts'
import type { UpdateOutcome } from '../databases/update-one.ts'
import type { Document, Stored } from '../documents/documents.ts'
import { draftWrites, pick, type WantedWrites } from '../documents/draft-writes.ts'
import type { Pouch } from '../documents/pouch.ts'
import { readDocuments } from '../documents/read-documents.ts'
import { writeDocuments } from '../documents/write-documents.ts'

export interface QueuedUpdate<Result> {
  ids: readonly string[]
  /** A pure function; may run several times, after each conflict with another writer. */
  decide: (stored: ReadonlyMap<string, Document>) => WantedWrites & { result: Result }
  /** Saves the read; a wrong belief costs one more round. */
  belief?: Belief | undefined
}

interface Waiting extends QueuedUpdate<unknown> {
  resolve: (outcome: UpdateOutcome<unknown>) => void
  reject: (error: unknown) => void
  isSettled: boolean
}

const mostUpdatesAtOnce = 1000
const mostRounds = 50

/**
 * The only writer of documents of a CouchDB database. Updates that arrive during a write wait, then
 * run together: one read, the functions in turn, one `_bulk_docs`.
 * @param use runs work with the database open
 * @param onWritten called after each write, before its updates are answered; also after an empty
 * one while `isUnsure`: what it read may come from the failed write
 * @param onUnsure called when a write failed and may be partly stored
 * @param onIdle called when the queue is empty
 */
export function createWriteQueue(options: {
  use: <Result>(work: (pouch: Pouch) => Promise<Result>) => Promise<Result>
  onWritten: () => void
  onUnsure: () => void
  isUnsure: () => boolean
  onIdle: () => void
}) {
  const waiting: Waiting[] = []
  const state = { isRunning: false }

  async function run() {
    state.isRunning = true
    while (waiting.length > 0) {
      const group = waiting.splice(0, mostUpdatesAtOnce)
      await writeApart(group)
    }
    state.isRunning = false
    options.onIdle()
  }

  /**
   * An unstorable update fails alone: retries the others of its group without it. All of it fails
   * when the database does: each would wait for a silence of its own.
   */
  async function writeApart(group: readonly Waiting[]) {
    try {
      await options.use((pouch) => writeRounds(pouch, group))
    } catch (error) {
      options.onUnsure()
      const left = group.filter((item) => !item.isSettled)
      if (error instanceof StorageUnavailable || left.length <= 1) {
        for (const item of left) settle(item, () => item.reject(error))
      } else for (const item of left) await writeApart([item])
    }
  }

  async function writeRounds(pouch: Pouch, group: readonly Waiting[]) {
    let rest = group
    for (let round = 0; rest.length > 0; round += 1) {
      if (round === mostRounds) throw new Error('a document changed under every try to write it')
      rest = await writeOnce(pouch, rest, { isBelieved: round === 0 })
    }
  }

  /** @returns the updates that met a newer revision of another server */
  async function writeOnce(
    pouch: Pouch,
    group: readonly Waiting[],
    { isBelieved }: { isBelieved: boolean },
  ): Promise<Waiting[]> {
    const stored = await readUnlessBelieved(pouch, group, isBelieved)
    const draft = draftWrites(stored)
    const decided: { item: Waiting; result: unknown }[] = []
    for (const item of group) {
      try {
        const { result, ...wanted } = item.decide(draft.read(item.ids))
        draft.check(item.ids, wanted)
        draft.add(wanted)
        decided.push({ item, result })
      } catch (error) {
        settle(item, () => item.reject(error))
      }
    }
    const outcome = await writeDocuments(pouch, stored, draft.writes.values())
    if (outcome.written > 0 || options.isUnsure()) options.onWritten()
    const conflicted: Waiting[] = []
    for (const { item, result } of decided) {
      if (item.ids.some((id) => outcome.conflicts.has(id))) conflicted.push(item)
      else settle(item, () => item.resolve({ result, revs: pick(outcome.revs, item.ids) }))
    }
    return conflicted
  }

  return {
    /**
     * Resolves when the documents from `decide` are stored; rejects with its error, storing
     * nothing.
     */
    update<Result>(update: QueuedUpdate<Result>): Promise<UpdateOutcome<Result>> {
      return new Promise((resolve, reject) => {
        // Each update gets its own function's result back, so the types match here.
        const item = { ...update, resolve, reject, isSettled: false }
        waiting.push(item as unknown as Waiting)
        if (!state.isRunning) run().catch(reject)
      })
    },
    countWaiting: () => waiting.length,
  }
}

export type WriteQueue = ReturnType<typeof createWriteQueue>

async function readUnlessBelieved(pouch: Pouch, group: readonly Waiting[], isBelieved: boolean) {
  const believed = new Map<string, Stored<Document> | undefined>()
  const unknown = new Set<string>()
  for (const { ids, belief } of group) {
    for (const id of ids) {
      if (isBelieved && belief?.has(id)) believed.set(id, belief.get(id))
      else unknown.add(id)
    }
  }
  const stored = await readDocuments(pouch, unknown)
  for (const [id, doc] of believed) if (doc && !unknown.has(id)) stored.set(id, doc)
  return stored
}

function settle(item: Waiting, answer: () => void) {
  item.isSettled = true
  answer()
}
