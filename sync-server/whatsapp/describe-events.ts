import type { ServerEvent } from '../../schema/api/socket-events.ts'
import type { MessageDocument } from '../../schema/message.ts'
import type { ContactDocument } from './customers/contact-documents.ts'
import { nameConversation, nameOfContact } from './customers/present-contact.ts'

/**
 * The event of a received message for the operator's devices; sent again with the same id once its
 * file exists.
 */
export function describeReceived(message: MessageDocument, contact: ContactDocument): ServerEvent {
  const { _id, senderId, content, type, status, createdAt } = message
  return {
    event: 'whatsapp-message-received',
    data: {
      messageId: _id,
      senderId,
      senderUsername: nameOfContact(contact),
      message: content,
      content,
      type,
      status,
      isWhatsApp: true,
      timestamp: message.whatsapp_timestamp ?? new Date(createdAt).toISOString(),
      whatsapp_message_id: message.whatsapp_message_id ?? null,
      from_phone: message.from_phone ?? null,
      to_phone: message.to_phone ?? null,
      conversationId: nameConversation(contact),
      mediaUrl: message.mediaUrl ?? null,
      interactive: message.interactive ?? null,
      button: message.button ?? null,
      list_reply: message.list_reply ?? null,
      location: message.location ?? null,
      contacts: message.contacts ?? null,
      replyTo: message.replyTo ?? null,
    },
  }
}

/** The event of a sent message's new status or failure; null without news. */
export function describeStatus(message: MessageDocument, now: number): ServerEvent | null {
  const { _id, status, statusHistory, whatsapp_message_id = null } = message
  if (status === 'sending') return null
  const at = statusHistory.findLast((one) => one.status === status)?.timestamp ?? now
  return {
    event: 'whatsapp-status-update',
    data: {
      messageId: _id,
      whatsapp_message_id,
      status,
      timestamp: new Date(at).toISOString(),
      error: message.error ?? null,
      code: readCode(message.errorCode),
    },
  }
}

/** WhatsApp's own error number, if it is one. */
function readCode(errorCode: string | undefined): string | number | null {
  const [, digits] = /^whatsapp_(\d+)$/.exec(errorCode ?? '') ?? []
  return digits ? Number(digits) : (errorCode ?? null)
}
