import { type MessageDocument, messageDocument } from '../../../schema/message.ts'
import { deriveId } from '../../lib/derive-id.ts'
import type { ContactDocument } from '../customers/contact-documents.ts'
import { nameOfContact } from '../customers/present-contact.ts'
import type { InboundContent } from './inbound-content.ts'
import { presentInbound } from './present-inbound.ts'

/** A repeated message has the same document id: it can be created only once. */
export function inboundMessageKey(phoneNumberId: string, wamid: string): string {
  return deriveId(`wa:in:${phoneNumberId}`, wamid)
}

/**
 * The operator's copy of a customer's message, or of an echo of the operator's own from elsewhere.
 * @param at when it was sent by WhatsApp's clock; null for a non-message
 */
export function makeInboundMessage(given: {
  contact: ContactDocument
  wamid: string
  sentAt: number
  content: InboundContent
  replyTo: string | undefined
  isForwarded: boolean
  isEcho: boolean
  now: number
}): MessageDocument | null {
  const { contact, wamid, sentAt, content, replyTo, isForwarded, isEcho, now } = given
  const fields = presentInbound(content)
  if (!fields) return null
  const { ownerId, contactId, phoneNumberId, displayPhoneNumber } = contact
  const theirs = contact.waId ?? contact.phone
  const phones = isEcho
    ? { from_phone: displayPhoneNumber, to_phone: theirs }
    : { from_phone: theirs, to_phone: displayPhoneNumber }
  const createdAt = Math.min(sentAt, now)
  return messageDocument.parse({
    _id: inboundMessageKey(phoneNumberId, wamid),
    peerId: contactId,
    createdAt,
    orderedAt: now,
    senderId: isEcho ? ownerId : contactId,
    recipientId: isEcho ? contactId : ownerId,
    ...fields,
    status: 'delivered',
    statusHistory: [{ status: 'delivered', timestamp: createdAt }],
    isWhatsApp: true,
    whatsapp_message_id: wamid,
    whatsapp_timestamp: new Date(sentAt).toISOString(),
    ...Object.fromEntries(Object.entries(phones).filter(([, digits]) => digits !== null)),
    ...(isEcho ? { sentFrom: 'whatsapp_app' } : { senderName: nameOfContact(contact) }),
    ...(replyTo !== undefined && { replyTo }),
    ...(isForwarded && { isForwarded }),
    ...(content.kind === 'system' && { isSystem: true }),
    ...(content.kind === 'file' && {
      media: {
        state: 'pending',
        mimeType: content.mimeType,
        ...(content.filename !== null && { filename: content.filename.slice(0, 240) }),
      },
      ...(content.isVoice && { isVoice: true }),
    }),
    ...(content.kind === 'unsupported' && {
      errorCode: `whatsapp_${content.errorCode ?? 'unsupported'}`,
    }),
  })
}
