import { isAccepted, type MessageDocument } from './message.ts'
import { statusRank } from './status-rank.ts'

/** An author's copy after the reader's receipt: its status rises with the time, or stays; it never falls. */
export function applyReceipt(
  message: MessageDocument,
  receipt: { status: 'delivered' | 'read'; at: number },
): MessageDocument {
  const { status, at } = receipt
  const isHigher = statusRank({ ...message, status }) > statusRank(message)
  if (!isAccepted(message) || !isHigher) return message
  return {
    ...message,
    status,
    statusHistory: [...message.statusHistory, { status, timestamp: at }],
  }
}
