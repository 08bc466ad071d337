import {
  type BulkWriteRow,
  createRevision,
  getComposedPrimaryKeyOfDocumentData,
  type RxConflictHandler,
  type RxStorageBulkWriteResponse,
  type RxStorageInstance,
  type RxStorageInstanceReplicationState,
  type RxStorageReplicationMeta,
} from 'rxdb/plugins/core'
import { mergeArrived } from '../../database/storage/conflict-handlers.ts'
import type { PushFloor } from './push-floor.ts'

type Note<T> = RxStorageReplicationMeta<T, unknown>

/**
 * RxDB's replication continues, or stops for good, after a failed read or write, and does not
 * report every failure. This reports each one; waiters then wait until the replication has ended
 * and note nothing, because RxDB would note unstored documents as stored.
 *
 * RxDB also takes every document given to its handler as accepted: `isUntaken` ones stay owed. When
 * it reads its push checkpoint, it gets the floor if that is earlier.
 *
 * It replaces the assumed server version with any arrival, even an answer that predates an accepted
 * change of this device: this keeps that change and offers it once more.
 *
 * And a push and an arrival may note the server version of one document at once: RxDB then reports
 * an error, or keeps a note that the stored document contradicts. It drops later arrivals of such a
 * document, as if a local change waited. This keeps the note that agrees with the document.
 */
export function guardReplication<T>(
  internal: RxStorageInstanceReplicationState<T>,
  options: {
    isUntaken: (id: string) => boolean
    floor: PushFloor
    /** An arrival was merged with the local version, and the result is owed. */
    onMerged: () => void
    onFailed: (cause: unknown) => void
    signal: AbortSignal
  },
): void {
  const { isUntaken, floor, onMerged, onFailed, signal } = options
  const ended = new Promise<void>((resolve) => {
    // It may have ended while starting.
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

  let hasFailed = false

  async function orEnded<Result>(work: Promise<Result>, otherwise: Result): Promise<Result> {
    try {
      return await work
    } catch (error) {
      hasFailed = true
      onFailed(error)
      await ended
      return otherwise
    }
  }

  function guard<Document>(
    storage: RxStorageInstance<Document, unknown, unknown>,
  ): RxStorageInstance<Document, unknown, unknown> {
    const guarded: typeof storage = Object.create(storage)
    guarded.findDocumentsById = (ids, deleted) =>
      orEnded(storage.findDocumentsById(ids, deleted), [])
    guarded.query = (query) => orEnded(storage.query(query), { documents: [] })
    guarded.bulkWrite = async (rows, context) => {
      if (hasFailed && signal.aborted) return { error: [] }
      return await orEnded(storage.bulkWrite(rows, context), { error: [] })
    }
    return guarded
  }

  const { input } = internal
  const documents = guard(input.forkInstance)
  input.forkInstance = Object.create(documents)
  input.forkInstance.bulkWrite = async (rows, context) => {
    const isArriving = context === (await internal.downstreamBulkWriteFlag)
    if (!isArriving) return await documents.bulkWrite(rows, context)
    const merged = await Promise.all(rows.map((row) => mergeRow(input.conflictHandler, row)))
    const result = await documents.bulkWrite(merged, context)
    if (merged.some((row, at) => row !== rows[at])) onMerged()
    return result
  }
  const notes = guard(input.metaInstance)
  input.metaInstance = Object.create(notes)
  input.metaInstance.bulkWrite = async (rows, context) => {
    const isPushed = context === 'replication-up-write-meta'
    const kept = isPushed ? rows.filter(({ document }) => !isUntaken(document.itemId)) : rows
    if (kept.length === 0) return { error: [] }
    const result = await notes.bulkWrite(kept, context)
    // Checkpoints retry their clashes themselves.
    return context === 'replication-set-checkpoint' ? result : await settleNotes(result, context)
  }

  /** Writes a note once more that another overtook, where the stored document agrees with it alone. */
  async function settleNotes(
    result: RxStorageBulkWriteResponse<Note<T>>,
    context: string,
  ): Promise<RxStorageBulkWriteResponse<Note<T>>> {
    const clashes = result.error.filter((error) => error.status === 409)
    if (clashes.length === 0) return result
    const ids = clashes.map(({ writeRow }) => writeRow.document.itemId)
    const found = await documents.findDocumentsById(ids, true)
    const again = clashes.flatMap(({ documentInDb, writeRow }) => {
      const { document } = writeRow
      const stored = found.find(
        (one) => (one as Record<string, unknown>)[internal.primaryPath] === document.itemId,
      )
      const agrees = (note: Note<T>) =>
        stored !== undefined && input.conflictHandler.isEqual(note.docData, stored, 'note')
      if (!agrees(document) || agrees(documentInDb)) return []
      const [, writer = ''] = document._rev.split(/-(.*)/s)
      const _rev = createRevision(writer, documentInDb)
      return { previous: documentInDb, document: { ...document, _rev } }
    })
    const rest = result.error.filter((error) => error.status !== 409)
    if (again.length === 0) return { error: rest }
    const settled = await settleNotes(await notes.bulkWrite(again, context), context)
    return { error: [...rest, ...settled.error] }
  }
  const pushCheckpoint = getComposedPrimaryKeyOfDocumentData(notes.schema, {
    isCheckpoint: '1',
    itemId: 'up',
  })
  input.metaInstance.findDocumentsById = async (ids, deleted) => {
    const found = await notes.findDocumentsById(ids, deleted)
    if (!ids.includes(pushCheckpoint)) return found
    const lwt = floor.take()
    if (lwt === undefined) return found
    return found.map((noted) => {
      const { checkpointData } = noted
      const isBefore = lwt <= (checkpointData as { lwt: number }).lwt
      return isBefore ? { ...noted, checkpointData: { id: '', lwt } } : noted
    })
  }
}

async function mergeRow<T>(
  conflictHandler: RxConflictHandler<T>,
  row: BulkWriteRow<T>,
): Promise<BulkWriteRow<T>> {
  const { previous, document } = row
  if (!previous) return row
  const merged = await mergeArrived(conflictHandler, { stored: previous, arrived: document })
  if (!merged) return row
  const { _rev, _attachments } = document
  // Without a server version's mark the note says that it is owed.
  const { o: _, ..._meta } = document._meta
  return { previous, document: { ...merged, _rev, _attachments, _meta } }
}
