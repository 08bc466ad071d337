import {
  getChangedDocumentsSince,
  getComposedPrimaryKeyOfDocumentData,
  getRxReplicationMetaInstanceSchema,
  type RxCollection,
  type RxDocumentData,
  type RxStorageReplicationMeta,
} from 'rxdb/plugins/core'
import { findPushPlace } from './repair-push-checkpoint.ts'

type Meta<T> = RxStorageReplicationMeta<T, { lwt?: number }>

const batch = 200

/**
 * Ids of the documents whose present version the server is not known to hold, read from what is stored: whether
 * this tab syncs, another one does, or none can.
 *
 * @param identifier names the checkpoints of the replication that counts
 */
export async function findStoredUnsent<T>(
  collection: RxCollection<T>,
  identifier: string,
): Promise<string[]> {
  const { database, conflictHandler, storageInstance } = collection
  const { primaryPath } = collection.schema
  const hash = await database.hashFunction(`${collection.name}-${identifier}`)
  const schema = getRxReplicationMetaInstanceSchema<T, { lwt?: number }>(
    collection.schema.jsonSchema,
    false,
  )
  const notes = await database.storage.createStorageInstance<Meta<T>>({
    databaseName: database.name,
    collectionName: `rx-replication-meta-${hash}`,
    databaseInstanceToken: database.token,
    multiInstance: database.multiInstance,
    options: {},
    schema,
    devMode: false,
  })
  const keyOf = (itemId: string, isCheckpoint: '0' | '1') =>
    getComposedPrimaryKeyOfDocumentData<Meta<T>>(schema, { itemId, isCheckpoint })
  const read = async (keys: string[]) => await notes.findDocumentsById(keys, false)
  try {
    const unsent: string[] = []
    const [noted] = await read([keyOf('up', '1')])
    let checkpoint: unknown = findPushPlace(noted?.checkpointData)
    for (;;) {
      const changed = await getChangedDocumentsSince<T, unknown>(storageInstance, batch, checkpoint)
      if (changed.documents.length === 0) return unsent
      const ids = changed.documents.map((document: RxDocumentData<T>) =>
        String(document[primaryPath]),
      )
      const known = new Map(
        (await read(ids.map((id) => keyOf(id, '0')))).map((note) => [note.itemId, note.docData]),
      )
      changed.documents.forEach((document, at) => {
        const id = ids[at] ?? ''
        const server = known.get(id)
        if (!server || !conflictHandler.isEqual(server, document, 'unsent')) unsent.push(id)
      })
      checkpoint = changed.checkpoint
    }
  } finally {
    await notes.close()
  }
}
