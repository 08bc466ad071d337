import * as z from 'zod/mini'
import { id } from '../id.ts'
import { messageStatuses, messageTypes } from '../message.ts'
import { messageAnswer } from './message-answer.ts'

const missingPhone = 'Phone number is required'

/**
 * What POST /webhooks/send takes. `message` is a text for `text`, else WhatsApp's object of that type; buttons may be
 * written as `{id?, title}`. `clientMessageId` (or the header `Idempotency-Key`) makes a repeated call the same message.
 */
export const sendWhatsApp = z.object(
  {
    to: z.string(missingPhone).check(z.minLength(1, missingPhone), z.maxLength(100)),
    type: z._default(z.string().check(z.maxLength(40)), 'text'),
    message: z.unknown(),
    clientMessageId: z.optional(id),
    replyToMessageId: z.optional(z.nullable(id)),
  },
  'Missing required message data',
)
export type SendWhatsApp = z.input<typeof sendWhatsApp>

/**
 * What POST /webhooks/send answers, and what a socket is told of `send-whatsapp-message`. `queued`: it is kept here and
 * leaves later, or nobody knows yet whether WhatsApp took it; a status tells.
 */
export const whatsAppSent = z.object({
  success: z.literal(true),
  messageId: id,
  whatsapp_message_id: z.nullable(z.string()),
  status: z.enum(messageStatuses),
  queued: z.boolean(),
  to: z.nullable(z.string()),
  wa_id: z.nullable(z.string()),
  type: z.enum(messageTypes),
  timestamp: z.iso.datetime(),
  message: messageAnswer,
})
export type WhatsAppSent = z.infer<typeof whatsAppSent>
