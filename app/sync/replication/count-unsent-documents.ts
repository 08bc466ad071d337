import type { RxCollection } from 'rxdb/plugins/core'
import type { PetrelDatabase } from '../../database/storage/open-database.ts'
import { findOwed } from './find-owed.ts'
import { openReplicationNotes, replicationKey } from './replication-notes.ts'

/**
 * Counts this device's documents that the server lacks in their current version, from stored data.
 */
export async function countUnsentDocuments(database: PetrelDatabase): Promise<number> {
  const { epochs } = database.device
  const [ofMessages, ofConversations] = await Promise.all([
    epochs.get('messages'),
    epochs.get('conversations'),
  ])
  const [messages, conversations] = await Promise.all([
    countOwed(database.messages, replicationKey(ofMessages)),
    countOwed(database.conversations, replicationKey(ofConversations)),
  ])
  return messages + conversations
}

/** @param identifier names the replication */
async function countOwed<T extends { _id: string }>(
  collection: RxCollection<T>,
  identifier: string,
): Promise<number> {
  const notes = await openReplicationNotes(collection, identifier)
  try {
    return (await findOwed({ collection, notes, identifier })).owed.length
  } finally {
    await notes.close()
  }
}
