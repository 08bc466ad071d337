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

/** Which of these documents the server may lack, by what is stored. */
export async function findOwedAmong<T extends { _id: string }, Checkpoint>(options: {
  collection: RxCollection<T>
  notes: ReplicationNotes<T, Checkpoint>
  ids: readonly string[]
}): Promise<RxDocumentData<T>[]> {
  const { collection, ids } = options
  const documents = await collection.storageInstance.findDocumentsById([...ids], false)
  const found: FoundOwed<T> = { owed: [], settled: [], servers: new Map() }
  await compareWithNotes({ ...options, documents, found })
  return found.owed
}

async function compareWithNotes<T extends { _id: string }, Checkpoint>(options: {
  collection: RxCollection<T>
  notes: ReplicationNotes<T, Checkpoint>
  documents: readonly RxDocumentData<T>[]
  found: FoundOwed<T>
}): Promise<void> {
  const { collection, notes, documents, found } = options
  const keys = documents.map(({ _id }) =>
    getComposedPrimaryKeyOfDocumentData<RxStorageReplicationMeta<T, Checkpoint>>(notes.schema, {
      itemId: _id,
      isCheckpoint: '0',
    }),
  )
  const known = new Map(
    (await notes.findDocumentsById(keys, false)).map(({ itemId, docData }) => [itemId, docData]),
  )
  for (const document of documents) {
    const server = known.get(document._id)
    const isSettled = server && collection.conflictHandler.isEqual(server, document, 'owed')
    found[isSettled ? 'settled' : 'owed'].push(document)
    if (server && !isSettled) found.servers.set(document._id, server)
  }
}

export interface FoundOwed<T> {
  /** Documents whose current version the server may lack. */
  owed: RxDocumentData<T>[]
  /** Documents whose stored version the server has. */
  settled: RxDocumentData<T>[]
  /** The server's last known version of each owed document, where there is one. */
  servers: Map<string, Partial<T>>
}

/**
 * The key under which a database records that it compared every document with a replication's
 * notes.
 */
export function wholeKey(identifier: string): string {
  return `mark|whole|${identifier}`
}

/**
 * Finds what is owed to the server from stored data alone: no time, no checkpoint (P11). Checks
 * every document when the notes may be incomplete (an earlier build's database, a new epoch).
 */
export async function findOwed<T extends { _id: string }, Checkpoint>(options: {
  collection: RxCollection<T>
  notes: ReplicationNotes<T, Checkpoint>
  /** Names the replication. */
  identifier: string
}): Promise<FoundOwed<T>> {
  const { collection, notes } = options
  const { storageInstance } = collection
  const found: FoundOwed<T> = { owed: [], settled: [], servers: new Map() }
  const compare = (documents: readonly RxDocumentData<T>[]) =>
    compareWithNotes({ collection, notes, documents, found })

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
