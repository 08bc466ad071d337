import { type ConversationDocument, newConversation } from '../../../schema/conversation.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import { changeDocument, changeDocuments } from '../storage/change-document.ts'
import type { ConversationCollection } from '../storage/collections.ts'
import { fromStoredConversation } from '../storage/stored-conversation.ts'

/** Changes one conversation on this device, creating it if missing. */
export async function changeConversation(
  conversations: ConversationCollection,
  peerId: string,
  change: (conversation: ConversationDocument) => ConversationDocument,
): Promise<void> {
  await changeConversations(conversations, [peerId], change)
}

/** The same for many conversations in one read and one write. */
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
 * Ensures that the conversation of a message being sent exists before the server hears of it.
 * Leaves an existing one alone: the server names its newest message, so nothing is pushed for it.
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

/** The conversation with this message as its newest, unless the message is older. */
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
