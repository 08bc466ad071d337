import { type ConversationDocument, newConversation } from '../../../schema/conversation.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import { nameConversationsDatabase } from '../../storage/databases/database-names.ts'
import type { Storage } from '../../storage/storage.ts'

type Beginning = Pick<MessageDocument, '_id' | 'orderedAt'>

/** A conversation as it begins, with the message that begins it. */
export function beginWith(peerId: string, { _id, orderedAt }: Beginning): ConversationDocument {
  const lastMessage = { _id, orderedAt }
  return { ...newConversation(peerId), lastMessage, lastMessageAt: orderedAt }
}

/**
 * Begins what has not begun yet, after the copies are written: the author's conversation, and the reader's where
 * something has arrived there.
 */
export async function beginConversations(options: {
  storage: Storage
  authorId: string
  readerId: string
  message: Beginning
  isHeld: boolean
}): Promise<void> {
  const { storage, authorId, readerId, message, isHeld } = options
  const begin = async (ownerId: string, peerId: string) => {
    const name = nameConversationsDatabase(ownerId)
    await storage.database<ConversationDocument>(name).insert(beginWith(peerId, message))
  }
  await Promise.all([begin(authorId, readerId), ...(isHeld ? [] : [begin(readerId, authorId)])])
}
