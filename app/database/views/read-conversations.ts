import type { ConversationDocument } from '../../../schema/conversation.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import type { ConversationCollection, MessageCollection } from '../storage/collections.ts'
import { countDocuments, queryDocuments } from '../storage/read-documents.ts'
import { fromStoredConversation } from '../storage/stored-conversation.ts'
import { fromStoredMessage, mentionsAbove, pendingTally } from '../storage/stored-message.ts'

/** More are not led to. */
const mentionsMax = 100

/** Every conversation on this device, unordered: they are few. */
export async function readConversations(
  conversations: ConversationCollection,
): Promise<ConversationDocument[]> {
  const everything = { selector: {}, sort: [{ _id: 'asc' as const }], index: ['_id'] }
  return (await queryDocuments(conversations, everything)).map(fromStoredConversation)
}

/** The number of the other person's messages above this person's read and cleared marks. */
export async function countUnread(
  messages: MessageCollection,
  of: { conversation: ConversationDocument; newest: MessageDocument | undefined },
): Promise<number> {
  const { _id, readUpTo, clearedUpTo } = of.conversation
  const seenUpTo = Math.max(readUpTo, clearedUpTo)
  if (!of.newest || of.newest.orderedAt <= seenUpTo) return 0
  return countIncoming(messages, { peerId: _id, above: seenUpTo })
}

/** A conversation's messages above a place (`orderedAt`) that mention this person, oldest first. */
export async function listMentions(
  messages: MessageCollection,
  { peerId, above }: { peerId: string; above: number },
): Promise<MessageDocument[]> {
  const found = await queryDocuments(messages, {
    selector: { starOrder: { $gt: Math.max(above, mentionsAbove) } },
    sort: [{ starOrder: 'asc' }],
    index: ['starOrder'],
  })
  const inChat = found.filter((message) => message.peerId === peerId)
  return inChat.slice(0, mentionsMax).map(fromStoredMessage)
}

/** The number of the other person's messages above a place (`orderedAt`). */
export async function countIncoming(
  messages: MessageCollection,
  { peerId, above }: { peerId: string; above: number },
): Promise<number> {
  return countDocuments(messages, {
    selector: { tally: peerId, recency: { $lt: -above } },
    index: ['tally', 'recency'],
  })
}

/** The number of own messages that the server has not accepted yet. */
export async function countPending(messages: MessageCollection): Promise<number> {
  return countDocuments(messages, {
    selector: { tally: pendingTally },
    index: ['tally', 'recency'],
  })
}
