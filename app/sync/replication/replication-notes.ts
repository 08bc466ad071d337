import {
  getRxReplicationMetaInstanceSchema,
  type RxCollection,
  type RxStorageInstance,
  type RxStorageReplicationMeta,
} from 'rxdb/plugins/core'
import type { StoredEpoch } from '../../database/storage/open-device-store.ts'

/** RxDB's replication metadata: its checkpoints, and each document's known server version. */
export type ReplicationNotes<T, Checkpoint = unknown> = RxStorageInstance<
  RxStorageReplicationMeta<T, Checkpoint>,
  unknown,
  unknown
>

/**
 * Opens them outside RxDB; the caller closes them.
 * @param identifier names the replication
 */
export async function openReplicationNotes<T>(
  collection: RxCollection<T>,
  identifier: string,
): Promise<ReplicationNotes<T>> {
  const { database } = collection
  const hash = await database.hashFunction(`${collection.name}-${identifier}`)
  return await database.storage.createStorageInstance<RxStorageReplicationMeta<T, unknown>>({
    databaseName: database.name,
    collectionName: `rx-replication-meta-${hash}`,
    databaseInstanceToken: database.token,
    multiInstance: database.multiInstance,
    options: {},
    schema: getRxReplicationMetaInstanceSchema<T, unknown>(collection.schema.jsonSchema, false),
    devMode: false,
  })
}

/** The name of a collection's checkpoints on this device. */
export function replicationKey(stored: StoredEpoch | undefined): string {
  return stored?.isRenewed ? `petrel-${stored.epoch}` : 'petrel'
}
