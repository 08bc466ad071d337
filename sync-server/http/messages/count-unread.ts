import type { ConversationDocument } from '../../../schema/conversation.ts'
import { limits } from '../../../schema/limits.ts'
import type { OrderJournal } from '../../sync/create-order-journal.ts'
import type { OwnMessages } from './create-own-messages.ts'

/** How many messages of the other person lie above what its owner has read or cleared; deleted ones do not count. */
export async function countUnread(options: {
  ownerId: string
  conversation: ConversationDocument
  messages: OwnMessages
  journal: OrderJournal
}): Promise<number> {
  const { ownerId, conversation, messages, journal } = options
  const { _id: peerId, readUpTo, clearedUpTo, lastMessageAt } = conversation
  const after = Math.max(readUpTo, clearedUpTo)
  if (lastMessageAt <= after) return 0
  const entries = await journal.listBetween({
    ...{ oneId: ownerId, otherId: peerId, after, upTo: lastMessageAt },
    limit: limits.unreadCountMax,
  })
  const ids = entries.flatMap(({ senderId, isHeld, messageId }) =>
    senderId === peerId && !isHeld ? [messageId] : [],
  )
  const copies = await messages.read(ownerId, ids)
  const unread = [...copies.values()].filter(
    ({ senderId, deletedAt, orderedAt }) =>
      senderId === peerId && deletedAt === undefined && orderedAt > after,
  )
  return unread.length
}
