import { isAccepted, isInLostSpan, type MessageDocument } from '../../../schema/message.ts'
import type { ReadPart } from '../../storage/documents/transaction.ts'
import { conversationKey, type OrderEntry, orderEntryKey } from '../copies/order-entry.ts'
import { type OrderJournal, ordersDatabase } from '../copies/order-journal.ts'
import type { Delivery } from './delivery-types.ts'

type Asked = Pick<
  Delivery,
  'actorId' | 'peerId' | 'groups' | 'isAtomic' | 'lost' | 'entriesAsked' | 'now'
>

/**
 * A place that a message has already. `isBelow`: it lies before places that may have been counted.
 */
export interface KeptPlace {
  orderedAt: number
  /** The journal has it already. */
  isEntered: boolean
  isBelow: boolean
}

/**
 * The journal entries that a delivery must read because its messages claim their places. Without a
 * restore only places behind all others are kept, and CouchDB itself detects taken ones: nothing to
 * read.
 */
export function listClaimedEntries(asked: Asked): string[] {
  const { actorId, peerId, groups, isAtomic, lost, entriesAsked, now } = asked
  if (peerId === undefined) return []
  const conversation = conversationKey(actorId, peerId)
  const isClaim = ({ status, senderId, orderedAt }: MessageDocument) => {
    if (orderedAt >= now) return false
    if (senderId === actorId) return status === 'sent' && (isAtomic || lost.length > 0)
    return senderId === peerId && isAccepted({ status }) && isInLostSpan(lost, orderedAt)
  }
  const keys = groups.flatMap(({ proposals }) =>
    proposals.flatMap(({ message }) =>
      message && isClaim(message) ? [orderEntryKey(conversation, message.orderedAt)] : [],
    ),
  )
  return [...new Set([...keys, ...entriesAsked])]
}

/** May a delivery void the conversation's tallies? */
export function mayComeBelow({ actorId, peerId, groups, lost, entriesAsked }: Asked): boolean {
  if (entriesAsked.size > 0) return true
  return groups.some(({ proposals }) =>
    proposals.some(({ message }) => {
      if (!message || !isAccepted(message)) return false
      const isOfBoth = message.senderId === actorId || message.senderId === peerId
      return isOfBoth && isInLostSpan(lost, message.orderedAt)
    }),
  )
}

/** The journal's entry for the place that a message names, if it is this message's. */
export function findOwnEntry(
  { senderId, recipientId, _id, orderedAt }: MessageDocument,
  read: ReadPart,
): OrderEntry | undefined {
  const entry = read<OrderEntry>(ordersDatabase).get(
    orderEntryKey(conversationKey(senderId, recipientId), orderedAt),
  )
  return entry?.messageId === _id && entry.senderId === senderId ? entry : undefined
}

/**
 * The place that a returned message keeps; undefined when it needs a new one, because nobody may
 * insert a message before what others have read. Keeps its journal place; else a free one within
 * what a restore lost, or behind all others, where nobody can have read.
 * @param taken places that this delivery has given already
 */
export function findKeptPlace(asked: {
  delivery: Pick<Delivery, 'lost' | 'now'>
  message: MessageDocument
  read: ReadPart
  journal: Pick<OrderJournal, 'lastGiven'>
  taken: ReadonlySet<number>
}): KeptPlace | undefined {
  const { delivery, message, read, journal, taken } = asked
  const { lost, now } = delivery
  const { senderId, recipientId, orderedAt } = message
  if (orderedAt >= now || taken.has(orderedAt)) return undefined
  const key = orderEntryKey(conversationKey(senderId, recipientId), orderedAt)
  if (read<OrderEntry>(ordersDatabase).has(key)) {
    const isSame = findOwnEntry(message, read) !== undefined
    return isSame ? { orderedAt, isEntered: true, isBelow: false } : undefined
  }
  const isBelow = orderedAt <= journal.lastGiven(senderId, recipientId)
  const isFree = isInLostSpan(lost, orderedAt) || !isBelow
  return isFree ? { orderedAt, isEntered: false, isBelow } : undefined
}
