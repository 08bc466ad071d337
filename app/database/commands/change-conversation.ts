import { type ConversationDocument, newConversation } from '../../../schema/conversation.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import type { ConversationCollection } from '../storage/open-database.ts'
import { fromStoredConversation } from '../storage/stored-conversation.ts'
import { changeDocument, changeDocuments } from './change-document.ts'

/** Changes one conversation on this device and makes it when there is none. */
export async function changeConversation(
  conversations: ConversationCollection,
  peerId: string,
  change: (conversation: ConversationDocument) => ConversationDocument,
): Promise<void> {
  await changeConversations(conversations, [peerId], change)
}

/** The same for many conversations in one reading and one writing. */
export async function changeConversations(
  conversations: ConversationCollection,
  peerIds: readonly string[],
  change: (conversation: ConversationDocument) => ConversationDocument,
): Promise<void> {
  await changeDocuments(
    conversations,
    peerIds,
    (stored) => {
      const conversation = fromStoredConversation(stored)
      const next = change(conversation)
      return next === conversation ? stored : next
    },
    newConversation,
  )
}

/**
 * Makes sure that the conversation of a message that is sent now exists, also before the server hears of it.
 * One that is there stays as it is: the server names its newest message, and nothing is pushed for it.
 */
export async function beginConversation(
  conversations: ConversationCollection,
  message: MessageDocument,
): Promise<void> {
  await changeDocument(
    conversations,
    message.peerId,
    (stored) => stored,
    () => raiseLastMessage(newConversation(message.peerId), message),
  )
}

/** The conversation with this message as its newest, or as it was if that one is older. */
export function raiseLastMessage(
  conversation: ConversationDocument,
  message: { _id: string; orderedAt: number },
): ConversationDocument {
  const { _id, orderedAt } = message
  const last = conversation.lastMessage
  if (last && (last.orderedAt > orderedAt || (last.orderedAt === orderedAt && last._id >= _id))) {
    return conversation
  }
  return {
    ...conversation,
    lastMessage: { _id, orderedAt },
    lastMessageAt: Math.max(conversation.lastMessageAt, orderedAt),
  }
}
