import type { MessageDocument, MessageStatus } from './message.ts'

const ordinary: Record<MessageStatus, number> = {
  sending: 0,
  failed: 1,
  sent: 2,
  delivered: 3,
  read: 4,
}

/** A provider may fail a message after accepting it, and deliver it after failing it. */
const business: Record<MessageStatus, number> = {
  sending: 0,
  sent: 1,
  failed: 2,
  delivered: 3,
  read: 4,
}

/** A status's rank within one attempt: a higher rank replaces a lower one, never the reverse. */
export function statusRank(message: Pick<MessageDocument, 'status' | 'isWhatsApp'>): number {
  return (message.isWhatsApp ? business : ordinary)[message.status]
}
