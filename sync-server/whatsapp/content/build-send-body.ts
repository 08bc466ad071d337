import { whatsAppLimits as messageLimits } from '../../../schema/whatsapp-limits.ts'
import type { OutgoingMessage } from './outgoing-message.ts'

/**
 * The recipient: a number in digits with its country code, or a person's id within the business.
 */
export type Recipient = { phone: string } | { userId: string }

/**
 * The body of a send. Always adds the number's plus: without it Meta prefixes the business's own
 * country code, and the message goes to a stranger.
 * @param messageId ours: every status returns it, and so settles an unanswered send
 * @throws Error for an invalid number, or an id that Meta does not accept
 */
export function buildSendBody(send: {
  to: Recipient
  message: OutgoingMessage
  messageId: string
  /** The wamid of the quoted message. */
  replyTo?: string | undefined
}): Record<string, unknown> {
  const { to, message, messageId, replyTo } = send
  if (messageId.length > messageLimits.callbackDataMax)
    throw new Error('The message id is too long')
  const isReply = replyTo !== undefined && message.type !== 'reaction'
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...('phone' in to ? { to: toInternational(to.phone) } : { recipient: to.userId }),
    type: message.type,
    ...(isReply && { context: { message_id: replyTo } }),
    biz_opaque_callback_data: messageId,
    [message.type]: message.content,
  }
}

function toInternational(phone: string): string {
  const digits = phone.replaceAll(/\D/g, '')
  if (digits.length < 7 || digits.length > 15) throw new Error('A phone number has 7 to 15 digits')
  return `+${digits}`
}
