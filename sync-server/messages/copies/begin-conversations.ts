import { type ConversationDocument, newConversation } from '../../../schema/conversation.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import { nameConversationsDatabase } from '../../storage/documents/database-names.ts'
import type { Storage } from '../../storage/storage.ts'

type Beginning = Pick<MessageDocument, '_id' | 'orderedAt'>

/** A new conversation, with its first message. */
export function beginWith(peerId: string, { _id, orderedAt }: Beginning): ConversationDocument {
  const lastMessage = { _id, orderedAt }
  return { ...newConversation(peerId), lastMessage, lastMessageAt: orderedAt }
}

/**
 * Creates missing conversations after the copies are written: the author's, and the reader's if
 * something arrived there.
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
