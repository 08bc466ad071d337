import { isInLostSpan } from '../../schema/lost-span.ts'
import type { MessageDocument } from '../../schema/message.ts'
import type { ReadPart } from '../storage/transaction.ts'
import type { Delivery } from './delivery.ts'
import { conversationKey, type OrderEntry, orderEntryKey } from './order-entry.ts'
import { type OrderJournal, ordersDatabase } from './order-journal.ts'

type Asked = Pick<Delivery, 'actorId' | 'peerId' | 'groups' | 'isAtomic' | 'lost' | 'now'>

/**
 * The journal's entries that a delivery has to see, because messages in it claim their places. Without a restore only
 * places behind all others are kept, which CouchDB finds taken by itself: nothing is read there then.
 */
export function listClaimedEntries({ actorId, peerId, groups, isAtomic, lost, now }: Asked) {
  if (peerId === undefined || (!isAtomic && lost.length === 0)) return []
  const keys = groups.flatMap(({ proposals }) =>
    proposals.flatMap(({ message }) =>
      message?.status === 'sent' && message.senderId === actorId && message.orderedAt < now
        ? [orderEntryKey(conversationKey(actorId, peerId), message.orderedAt)]
        : [],
    ),
  )
  return [...new Set(keys)]
}

/**
 * The place that a returned message keeps; undefined where it gets a new one, as nobody may put a message before what
 * others have read. It keeps the one under which the journal has it; else a free one that lies where a restore has lost
 * messages, or behind all others, where nothing can have been read.
 * @param copy the other person's copy: its place counts
 * @param taken places that this delivery has given already
 * @returns `isEntered`: the journal has it already
 */
export function findKeptPlace(asked: {
  delivery: Delivery
  message: MessageDocument
  copy: MessageDocument | undefined
  read: ReadPart
  journal: Pick<OrderJournal, 'lastGiven'>
  taken: ReadonlySet<number>
}): { orderedAt: number; isEntered: boolean } | undefined {
  const { delivery, message, copy, read, journal, taken } = asked
  const { actorId, lost, now } = delivery
  const { _id, recipientId, orderedAt } = message
  if (orderedAt >= now || taken.has(orderedAt)) return undefined
  if (copy && copy.orderedAt !== orderedAt) return undefined
  const key = orderEntryKey(conversationKey(actorId, recipientId), orderedAt)
  const entry = read<OrderEntry>(ordersDatabase).get(key)
  if (entry) {
    const isSame = entry.messageId === _id && entry.senderId === actorId
    return isSame ? { orderedAt, isEntered: true } : undefined
  }
  const isFree =
    isInLostSpan(lost, orderedAt) || orderedAt > journal.lastGiven(actorId, recipientId)
  return isFree ? { orderedAt, isEntered: false } : undefined
}
