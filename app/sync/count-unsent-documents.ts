import type { PetrelDatabase } from '../database/open-database.ts'
import { findStoredUnsent } from './find-stored-unsent.ts'
import { nameReplication } from './name-replication.ts'

/** How many documents of this device the server does not hold as they are: read from what is stored. */
export async function countUnsentDocuments(database: PetrelDatabase): Promise<number> {
  const { epochs } = database.device
  const [ofMessages, ofConversations] = await Promise.all([
    epochs.get('messages'),
    epochs.get('conversations'),
  ])
  const [messages, conversations] = await Promise.all([
    findStoredUnsent(database.messages, nameReplication(ofMessages)),
    findStoredUnsent(database.conversations, nameReplication(ofConversations)),
  ])
  return messages.length + conversations.length
}
