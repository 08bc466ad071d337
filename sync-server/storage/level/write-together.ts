import { createDeferred } from '../../../schema/helpers/deferred.ts'
import type { PouchWrite } from '../documents/pouch.ts'
import type { LevelStore, Operation } from './level-store.ts'
import type { OpenDatabase } from './open-databases.ts'

/** One database's input in one call: revisions with their ancestry. */
export interface PouchBatch {
  database: OpenDatabase
  docs: PouchWrite[]
}

/**
 * Writes several databases atomically: holds back what PouchDB writes for each call until all have
 * arrived, then stores them as one batch.
 * @param besides operations for the same batch
 */
export async function writeTogether(
  store: LevelStore,
  batches: readonly PouchBatch[],
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
    const { view } = batch.database
    let hasArrived = false
    const arrive = () => {
      if (hasArrived) return
      hasArrived = true
      state.left -= 1
      if (state.left === 0) arrived.resolve()
    }
    view.divert(async (own) => {
      operations.push(...own)
      arrive()
      await together.promise
    })
    try {
      await writeBatch(batch)
    } catch (error) {
      // Before all have arrived the store has nothing, and stays so.
      arrived.reject(error)
      throw error
    } finally {
      arrive()
      view.divert(undefined)
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

/** @throws Error when PouchDB refuses one of the documents */
export async function writeBatch({ database, docs }: PouchBatch): Promise<void> {
  const failures = await database.pouch.bulkDocs(docs, { new_edits: false })
  if (failures.length > 0) throw new Error('a revision could not be stored', { cause: failures })
}
