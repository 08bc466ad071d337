import {
  type BulkWriteRow,
  createRevision,
  getComposedPrimaryKeyOfDocumentData,
  getHeightOfRevision,
  type RxDocumentData,
  type RxStorageBulkWriteResponse,
  type RxStorageInstance,
  type RxStorageInstanceReplicationState,
  type RxStorageReplicationMeta,
} from 'rxdb/plugins/core'
import { type ArrivalHandler, mergeArrived } from '../../database/storage/conflict-handlers.ts'

export type PushFloor = ReturnType<typeof createPushFloor>

/**
 * The time of the oldest owed write, where RxDB's next push scan starts, whatever its checkpoint
 * says. The checkpoint itself can't move back: every push or pull meanwhile moves it forward.
 */
export function createPushFloor() {
  let floor: number | undefined
  return {
    set(lwt: number) {
      floor = Math.min(floor ?? lwt, lwt)
    },
    /** RxDB scans from there now; undefined when its checkpoint counts. */
    take(): number | undefined {
      const taken = floor
      floor = undefined
      return taken
    },
    isTaken: () => floor === undefined,
  }
}

type Note<T> = RxStorageReplicationMeta<T, unknown>

/** How far RxDB has noted what it pulled; undefined where it has noted nothing yet. */
export type ReadPulled = () => unknown

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
 * It also drops an arrival for a document that was written here meanwhile, because that write would
 * be pushed and answered. One that changes nothing for the server, such as opened words, never is:
 * this stores the arrival over it.
 *
 * It also leaves a refused push to the next local write when one overtakes the merge with the server's
 * version. That write may have been looked for already, before the refusal: this offers it once more.
 *
 * A scan also drops the writes that came before it, as it would find them by their write times. A
 * clock that was set back writes times that the scan begins after: this offers those.
 *
 * And a push and an arrival may note the server version of one document at once: RxDB then reports
 * an error, or keeps a note that the stored document contradicts. It drops later arrivals of such a
 * document, as if a local change waited. This keeps the note that agrees with the document.
 *
 * @returns reads RxDB's checkpoint of the pull, as it is stored
 */
export function guardReplication<T>(
  internal: RxStorageInstanceReplicationState<T>,
  options: {
    isUntaken: (id: string) => boolean
    floor: PushFloor
    /** A local version is owed that RxDB will not offer by itself. */
    onOwed: () => void
    onFailed: (cause: unknown) => void
    signal: AbortSignal
  },
): ReadPulled {
  const { isUntaken, floor, onOwed, onFailed, signal } = options
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
  /** How far any scan may have come. */
  const reached = { lwt: 0 }
  const noteReached = (times: readonly number[]) => {
    reached.lwt = Math.max(reached.lwt, ...times)
  }
  /** The contexts under which arrivals are stored. */
  const ofArrivals = new Set<string>()
  const changes = input.forkInstance.changeStream().subscribe(async ({ events, context }) => {
    await isRead
    const times = events.map(({ documentData }) => documentData._meta.lwt)
    const isBehind = times.some((lwt) => lwt <= reached.lwt)
    noteReached(times)
    if (isBehind && !ofArrivals.has(context)) onOwed()
  })
  signal.addEventListener('abort', () => changes.unsubscribe(), { once: true })
  const documents = guard(input.forkInstance)
  const { primaryKey } = documents.schema
  const idField = typeof primaryKey === 'string' ? primaryKey : primaryKey.key
  const readId = (document: object) => (document as Record<string, unknown>)[idField]
  input.forkInstance = Object.create(documents)
  input.forkInstance.query = async (query) => {
    const found = await documents.query(query)
    noteReached(found.documents.map(({ _meta }) => _meta.lwt))
    return found
  }
  input.forkInstance.bulkWrite = async (rows, context) => {
    if (context !== 'replication-up-write-conflict') {
      ofArrivals.add(context)
      return await storeArrived(rows, context)
    }
    const result = await documents.bulkWrite(rows, context)
    const isOvertaken = result.error.length > 0
    if (isOvertaken) onOwed()
    return result
  }

  /** Tries a document again that changed here meanwhile. */
  async function storeArrived(
    rows: BulkWriteRow<T>[],
    context: string,
  ): Promise<RxStorageBulkWriteResponse<T>> {
    const merged = await Promise.all(rows.map((row) => mergeRow(input.conflictHandler, row)))
    const written = merged.map(({ row }) => row)
    const result = await documents.bulkWrite(written, context)
    if (merged.some(({ isOwed }) => isOwed)) onOwed()
    const again = result.error.flatMap((error) => {
      const row = rows.find(({ document }) => readId(document) === error.documentId)
      return error.status === 409 && row ? [placeOver(row, error.documentInDb)] : []
    })
    if (again.length === 0 || signal.aborted) return result
    const { error } = await storeArrived(again, context)
    return { error: [...result.error.filter(({ status }) => status !== 409), ...error] }
  }
  const notes = guard(input.metaInstance)
  input.metaInstance = Object.create(notes)
  input.metaInstance.bulkWrite = async (rows, context) => {
    const isPushed = context === 'replication-up-write-meta'
    const kept = isPushed ? rows.filter(({ document }) => !isUntaken(document.itemId)) : rows
    if (kept.length === 0) return { error: [] }
    const result = await notes.bulkWrite(kept, context)
    if (context !== 'replication-set-checkpoint') return await settleNotes(result, context)
    // Checkpoints retry their clashes themselves.
    if (result.error.length === 0) for (const { document } of kept) take(document)
    return result
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
      const stored = found.find((one) => readId(one) === document.itemId)
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
  const keyOf = (itemId: 'up' | 'down') =>
    getComposedPrimaryKeyOfDocumentData(notes.schema, { isCheckpoint: '1', itemId })
  const pushCheckpoint = keyOf('up')
  let pulled: unknown
  function take({ itemId, checkpointData }: Note<T>) {
    if (itemId === 'down') pulled = checkpointData
    else noteReached([(checkpointData as { lwt?: number }).lwt ?? 0])
  }
  // RxDB has read them before this was put in its way.
  const isRead = notes.findDocumentsById([pushCheckpoint, keyOf('down')], false).then((found) => {
    // What was written meanwhile is newer.
    for (const one of found) if (one.itemId !== 'down' || pulled === undefined) take(one)
  })
  input.metaInstance.findDocumentsById = async (ids, deleted) => {
    const found = await notes.findDocumentsById(ids, deleted)
    if (!ids.includes(pushCheckpoint)) return found
    const lwt = floor.take()
    return found.map((noted) => {
      const stored = (noted.checkpointData as { lwt: number }).lwt
      noteReached([stored])
      const isBefore = lwt !== undefined && lwt <= stored
      return isBefore ? { ...noted, checkpointData: { id: '', lwt } } : noted
    })
  }
  return () => pulled
}

/** The arrival as it would have come a moment later, over what is stored now. */
function placeOver<T>({ document }: BulkWriteRow<T>, previous: RxDocumentData<T>): BulkWriteRow<T> {
  const [, writer = ''] = document._rev.split(/-(.*)/s)
  const _rev = createRevision(writer, previous)
  const { o } = document._meta
  const _meta = { ...document._meta, ...(o && { o: { ...o, _rev: getHeightOfRevision(_rev) } }) }
  return { previous, document: { ...document, _rev, _meta } }
}

async function mergeRow<T>(
  conflictHandler: ArrivalHandler<T>,
  row: BulkWriteRow<T>,
): Promise<{ row: BulkWriteRow<T>; isOwed: boolean }> {
  const { previous, document } = row
  if (!previous) return { row, isOwed: false }
  const merged = await mergeArrived(conflictHandler, { stored: previous, arrived: document })
  const { _rev, _attachments } = document
  if (!merged) {
    const kept = conflictHandler.keep?.(document, previous) ?? document
    const { _meta } = document
    const next = kept === document ? document : { ...kept, _rev, _attachments, _meta }
    return { row: { previous, document: next }, isOwed: false }
  }
  // Without a server version's mark the note says that it is owed.
  const { o: _, ..._meta } = document._meta
  return { row: { previous, document: { ...merged, _rev, _attachments, _meta } }, isOwed: true }
}
