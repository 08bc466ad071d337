import { createDeferred } from '../../../schema/helpers/deferred.ts'
import type { PouchWrite } from '../documents/pouch.ts'
import type { LevelStore, Operation } from './level-store.ts'
import type { OpenDatabase } from './open-database.ts'
import { type PlainEdit, writeEdits } from './plain-edits.ts'
import type { Sink } from './prefixed-leveldown.ts'

/** One database's part of a write: by PouchDB, or by keys alone. */
export type DatabaseBatch = {
  database: OpenDatabase
} & ({ docs: PouchWrite[] } | { plain: readonly PlainEdit[] })

/**
 * Writes several databases atomically: holds back what each one writes until all have arrived, then
 * stores them as one batch.
 * @param besides operations for the same batch
 */
export async function writeTogether(
  store: LevelStore,
  batches: readonly DatabaseBatch[],
  besides: readonly Operation[] = [],
): Promise<void> {
  const operations: Operation[] = [...besides]
  if (batches.length === 0) {
    if (operations.length > 0) await store.write(operations)
    return
  }
  const state = { left: batches.length }
  const together = createDeferred()
  const arrived = createDeferred()
  together.promise.catch(() => undefined)

  const writing = batches.map(async (batch) => {
    let hasArrived = false
    const arrive = () => {
      if (hasArrived) return
      hasArrived = true
      state.left -= 1
      if (state.left === 0) arrived.resolve()
    }
    try {
      await writeBatch(batch, async (own) => {
        operations.push(...own)
        arrive()
        await together.promise
      })
    } catch (error) {
      // Before all have arrived the store has nothing, and stays so.
      arrived.reject(error)
      throw error
    } finally {
      arrive()
    }
  })

  try {
    await arrived.promise
    const generation = Math.min(...batches.map(({ database: { view } }) => view.generation))
    await store.write(operations, { generation })
    together.resolve()
  } catch (error) {
    together.reject(error)
    await Promise.allSettled(writing)
    throw error
  }
  await Promise.all(writing)
}

/**
 * Writes one database: into the store, or into `sink`.
 * @throws Error when PouchDB refuses one of the documents
 */
export async function writeBatch(batch: DatabaseBatch, sink?: Sink): Promise<void> {
  if ('plain' in batch) return await writePlain(batch.database, batch.plain, sink)
  const { view } = batch.database
  const pouch = await batch.database.pouch()
  view.divert(sink)
  try {
    const failures = await pouch.bulkDocs(batch.docs, { new_edits: false })
    if (failures.length > 0) throw new Error('a revision could not be stored', { cause: failures })
  } finally {
    view.divert(undefined)
  }
}

async function writePlain(
  { view, counters, writeKeys }: OpenDatabase,
  edits: readonly PlainEdit[],
  sink?: Sink,
): Promise<void> {
  await writeKeys(async () => {
    const { operations, seq, count } = writeEdits(edits, counters)
    await view.write(operations, sink)
    Object.assign(counters, { seq, count })
  })
}
