import {
  type ConversationDocument,
  mergeConversations,
  newConversation,
} from '../../schema/conversation.ts'
import type { MessageDocument } from '../../schema/message.ts'
import type { Storage } from '../storage/create-storage.ts'
import { nameConversationsDatabase } from '../storage/database-names.ts'

type Placed = Pick<MessageDocument, '_id' | 'orderedAt'>

/**
 * Raises what a person's conversations name as their newest message.
 * @param newest a message for each other person's id
 * @returns the conversations as they are then, by the other person's id
 */
export async function raiseLastMessages(options: {
  storage: Storage
  ownerId: string
  newest: ReadonlyMap<string, Placed>
}): Promise<Map<string, ConversationDocument>> {
  const { storage, ownerId, newest } = options
  const database = storage.database<ConversationDocument>(nameConversationsDatabase(ownerId))
  const { result } = await database.update([...newest.keys()], (stored) => {
    const raised = [...newest].map(([peerId, { _id, orderedAt }]) => {
      const before = stored.get(peerId) ?? newConversation(peerId)
      const lastMessage = { _id, orderedAt }
      return mergeConversations(before, { ...before, lastMessage, lastMessageAt: orderedAt })
    })
    return { put: raised, result: raised }
  })
  return new Map(result.map((conversation) => [conversation._id, conversation]))
}

/** The later of each person's messages. @param key the other person's id of a message */
export function findNewest<Message extends Placed>(
  messages: Iterable<Message>,
  key: (message: Message) => string,
): Map<string, Message> {
  const newest = new Map<string, Message>()
  for (const message of messages) {
    const before = newest.get(key(message))
    if (!before || before.orderedAt < message.orderedAt) newest.set(key(message), message)
  }
  return newest
}
