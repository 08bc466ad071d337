import type { ConversationDocument } from '../../../schema/conversation.ts'
import { limits } from '../../../schema/limits.ts'
import type { OrderJournal } from '../../messages/order-journal.ts'
import type { OwnMessages } from './create-own-messages.ts'

/** Behind every place that is given. */
const endOfTime = 8.64e14 - 1

/** How many messages of the other person lie above what its owner has read or cleared; deleted ones do not count. */
export async function countUnread(options: {
  ownerId: string
  conversation: ConversationDocument
  messages: OwnMessages
  journal: OrderJournal
}): Promise<number> {
  const { ownerId, conversation, messages, journal } = options
  const { _id: peerId, readUpTo, clearedUpTo } = conversation
  const after = Math.max(readUpTo, clearedUpTo)
  const entries = await journal.listBetween({
    ...{ oneId: ownerId, otherId: peerId, after, upTo: endOfTime },
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
