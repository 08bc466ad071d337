import type { MessageDocument } from '../../../schema/message.ts'

/**
 * One entry of the `orders` database: a message's place in its conversation. That it can be created once only is
 * what makes `orderedAt` strictly growing, on any number of servers.
 */
export interface OrderEntry {
  /** `<lower user id>~<higher user id>~<orderedAt in 15 digits>` */
  _id: string
  messageId: string
  senderId: string
  /** The recipient had blocked the sender: there is no copy to deliver, and no receipt will come. */
  isHeld?: true
  /** It was stored at once with its copies: they are there, for as long as their owners are. */
  isWhole?: true
  /** The message came with a file; said of whole ones only. */
  hasFile?: true
  /** Its reader alone has given it back after a restore: a copy of its author's is not made on their word. */
  isClaimed?: true
}

const digits = 15
const entryPattern = /^([^~]+)~([^~]+)~(\d{15})$/

/** The conversation of two people, the same from both sides. */
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

/** Where an entry stands; 0 for what is no entry. */
export function placeOf(entry: OrderEntry): number {
  return parseOrderEntry(entry)?.orderedAt ?? 0
}

/** The parts of an entry's id; undefined for what is no entry. */
export function parseOrderEntry(entry: OrderEntry) {
  const [, lowerId, higherId, orderedAt] = entryPattern.exec(entry._id) ?? []
  if (!lowerId || !higherId || !orderedAt) return undefined
  const recipientId = entry.senderId === lowerId ? higherId : lowerId
  return { recipientId, orderedAt: Number(orderedAt) }
}
