import type { ConversationDocument } from '../../../schema/conversation.ts'
import type { Relations } from '../../access/relations.ts'
import { nameConversationsDatabase } from '../../storage/databases/database-names.ts'
import type { Storage } from '../../storage/storage.ts'
import type { MessagePrivacy } from '../privacy/message-privacy.ts'
import { tellHintedReceipts } from './tell-hinted-receipts.ts'

/**
 * Raises an author's marks to the reader's position. The reader may have read before the author's
 * conversation began, and a hint of that may have been replayed before, too.
 */
export async function tellStandingReceipts(options: {
  storage: Storage
  relations: Pick<Relations, 'canReach'>
  privacy: Pick<MessagePrivacy, 'hidesReading'>
  authorId: string
  readerId: string
  now: () => number
}): Promise<void> {
  const { storage, relations, privacy, authorId, readerId, now } = options
  if (authorId === readerId) return
  const name = nameConversationsDatabase(readerId)
  const read = await storage.database<ConversationDocument>(name).read([authorId])
  const { deliveredUpTo = 0, readUpTo = 0 } = read.get(authorId) ?? {}
  if (deliveredUpTo === 0 && readUpTo === 0) return
  const marks = { authorId, readerId, deliveredUpTo, readUpTo }
  await tellHintedReceipts({ storage, relations, privacy, marks, now })
}
