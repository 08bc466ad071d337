import type { ConversationDocument } from '../../../schema/conversation.ts'
import { limits } from '../../../schema/limits.ts'
import type { Digests } from '../../messages/digests/digests.ts'
import { endOfTime } from '../../messages/digests/tallies.ts'
import type { OrderJournal } from '../../messages/order/order-journal.ts'
import type { OwnMessages } from './own-messages.ts'

/** Counts up to this many places singly: usually few are unread. */
const countedSingly = 50

/**
 * How many messages of the other person lie above the owner's read and cleared marks, without
 * deleted ones.
 */
export async function countUnread(options: {
  ownerId: string
  conversation: ConversationDocument
  messages: OwnMessages
  journal: OrderJournal
  digests: Digests
}): Promise<number> {
  const { ownerId, conversation, messages, journal, digests } = options
  const { _id: peerId, readUpTo, clearedUpTo } = conversation
  const after = Math.max(readUpTo, clearedUpTo)
  const entries = await journal.listBetween({
    oneId: ownerId,
    otherId: peerId,
    after,
    upTo: endOfTime,
    limit: countedSingly + 1,
  })
  if (entries.length > countedSingly) {
    const count = await countReceived({ digests, ownerId, peerId, after })
    return Math.min(count, limits.unreadCountMax)
  }
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

async function countReceived(asked: {
  digests: Digests
  ownerId: string
  peerId: string
  after: number
}): Promise<number> {
  const { digests, ownerId, peerId, after } = asked
  const view = { ownerId, peerId }
  const before = await digests.tallies.countUpTo(view, after)
  const all = await digests.tallies.countUpTo(view, endOfTime)
  const deletions = await digests.listDeletions({ ...view, after })
  const deleted = deletions.filter(({ senderId }) => senderId === peerId)
  return all.received - before.received - deleted.length
}
