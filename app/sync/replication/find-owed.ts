import {
  getChangedDocumentsSince,
  getComposedPrimaryKeyOfDocumentData,
  type RxCollection,
  type RxDocumentData,
  type RxStorageReplicationMeta,
} from 'rxdb/plugins/core'
import { openOwedNotes } from '../../database/storage/dexie/owed-notes.ts'
import type { ReplicationNotes } from './replication-notes.ts'

const batch = 200

export interface FoundOwed<T> {
  /** Their present version the server is not known to hold. */
  owed: RxDocumentData<T>[]
  /** Those of which the server holds what is stored here. */
  settled: RxDocumentData<T>[]
}

/** The name under which a database notes that each of its documents was compared with what a replication knows. */
export function wholeKey(identifier: string): string {
  return `mark|whole|${identifier}`
}

/**
 * What is owed to the server, read from what is stored and from nothing else: no time, no checkpoint (P11). Where the
 * notes are not known to be whole (a database of an earlier build, a new epoch) every document is looked at.
 */
export async function findOwed<T extends { _id: string }, Checkpoint>(options: {
  collection: RxCollection<T>
  notes: ReplicationNotes<T, Checkpoint>
  /** Names the replication that counts. */
  identifier: string
}): Promise<FoundOwed<T>> {
  const { collection, notes } = options
  const { conflictHandler, storageInstance } = collection
  const found: FoundOwed<T> = { owed: [], settled: [] }
  const keyOf = (itemId: string) =>
    getComposedPrimaryKeyOfDocumentData<RxStorageReplicationMeta<T, Checkpoint>>(notes.schema, {
      itemId,
      isCheckpoint: '0',
    })

  async function compare(documents: readonly RxDocumentData<T>[]) {
    const keys = documents.map(({ _id }) => keyOf(_id))
    const known = new Map(
      (await notes.findDocumentsById(keys, false)).map(({ itemId, docData }) => [itemId, docData]),
    )
    for (const document of documents) {
      const server = known.get(document._id)
      const isSettled = server && conflictHandler.isEqual(server, document, 'owed')
      found[isSettled ? 'settled' : 'owed'].push(document)
    }
  }

  const own = await openOwedNotes(collection)
  if (await own.hasMark(wholeKey(options.identifier))) {
    const ids = await own.read()
    for (let from = 0; from < ids.length; from += batch) {
      await compare(await storageInstance.findDocumentsById(ids.slice(from, from + batch), true))
    }
    return found
  }
  let place: unknown
  for (;;) {
    const { documents, checkpoint } = await getChangedDocumentsSince<T, unknown>(
      ...[storageInstance, batch, place],
    )
    if (documents.length === 0) return found
    await compare(documents)
    place = checkpoint
  }
}
