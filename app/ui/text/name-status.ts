import type { MessageStatus } from '../../../schema/message.ts'

const names: Record<MessageStatus, string> = {
  sending: 'Waiting to be sent',
  failed: 'Not sent',
  sent: 'Sent',
  delivered: 'Delivered',
  read: 'Read',
}

/** The delivery status of an own message, in words. */
export function nameStatus(status: MessageStatus): string {
  return names[status]
}
