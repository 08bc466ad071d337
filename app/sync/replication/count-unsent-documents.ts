import type { RxCollection } from 'rxdb/plugins/core'
import type { PetrelDatabase } from '../../database/storage/open-database.ts'
import { findOwed } from './find-owed.ts'
import { replicationKey } from './replication-key.ts'
import { openReplicationNotes } from './replication-notes.ts'

/** How many documents of this device the server does not hold as they are: read from what is stored. */
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

/** @param identifier names the replication that counts */
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
