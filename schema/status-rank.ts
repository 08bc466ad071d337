import type { MessageDocument, MessageStatus } from './message.ts'

const ordinary: Record<MessageStatus, number> = {
  sending: 0,
  failed: 1,
  sent: 2,
  delivered: 3,
  read: 4,
}

/** A provider may fail a message after it took it, and deliver it after it failed. */
const business: Record<MessageStatus, number> = {
  sending: 0,
  sent: 1,
  failed: 2,
  delivered: 3,
  read: 4,
}

/** How far a status has come within one attempt: a higher rank replaces a lower one, never back. */
export function statusRank(message: Pick<MessageDocument, 'status' | 'isWhatsApp'>): number {
  return (message.isWhatsApp ? business : ordinary)[message.status]
}
