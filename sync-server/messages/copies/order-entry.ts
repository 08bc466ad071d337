import type { MessageDocument } from '../../../schema/message.ts'

/**
 * One entry of the `orders` database: a message's place in its conversation. Because each can be
 * created only once, `orderedAt` strictly grows, on any number of servers.
 */
export interface OrderEntry {
  /** `<lower user id>~<higher user id>~<orderedAt in 15 digits>` */
  _id: string
  messageId: string
  senderId: string
  /** The recipient blocked the sender: no copy to deliver, no receipt to come. */
  isHeld?: true
  /** Stored atomically with its copies: they exist while their owners do. */
  isWhole?: true
  /** The message came with a file; set on whole entries only. */
  hasFile?: true
  /**
   * Only its reader gave it back after a restore: never create an author's copy from that claim.
   */
  isClaimed?: true
}

const digits = 15
const entryPattern = /^([^~]+)~([^~]+)~(\d{15})$/

/** The key of two people's conversation, the same for both. */
export function conversationKey(oneId: string, otherId: string): string {
  return oneId < otherId ? `${oneId}~${otherId}` : `${otherId}~${oneId}`
}

export function orderEntryKey(conversation: string, orderedAt: number): string {
  return `${conversation}~${String(orderedAt).padStart(digits, '0')}`
}

export function toOrderEntry(
  { _id, senderId, recipientId, orderedAt, mediaUrl }: MessageDocument,
  { isHeld, isWhole, isClaimed }: { isHeld: boolean; isWhole: boolean; isClaimed: boolean },
): OrderEntry {
  return {
    _id: orderEntryKey(conversationKey(senderId, recipientId), orderedAt),
    messageId: _id,
    senderId,
    ...(isHeld && { isHeld: true as const }),
    ...(isWhole && { isWhole: true as const }),
    ...(isWhole && mediaUrl !== undefined && { hasFile: true as const }),
    ...(isClaimed && { isClaimed: true as const }),
  }
}

/** The place of an entry; 0 for anything else. */
export function placeOf(entry: OrderEntry): number {
  return parseOrderEntry(entry)?.orderedAt ?? 0
}

/** The parts of an entry's id; undefined for anything else. */
export function parseOrderEntry(entry: OrderEntry) {
  const [, lowerId, higherId, orderedAt] = entryPattern.exec(entry._id) ?? []
  if (!lowerId || !higherId || !orderedAt) return undefined
  const recipientId = entry.senderId === lowerId ? higherId : lowerId
  return { recipientId, orderedAt: Number(orderedAt) }
}
