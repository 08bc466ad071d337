import * as z from 'zod/mini'
import { id } from '../id.ts'
import { messageStatuses, messageTypes } from '../message.ts'
import { messageAnswer } from './message-answer.ts'

/**
 * A template as WhatsApp lists it: a component's `type` is HEADER, BODY, FOOTER or BUTTONS,
 * placeholders are `{{1}}` or, with `parameter_format` NAMED, `{{name}}`. Lists only approved ones.
 */
export const whatsAppTemplate = z.object({
  id: z.string(),
  name: z.string(),
  language: z.string(),
  category: z.string(),
  status: z.string(),
  parameter_format: z.optional(z.string()),
  components: z.array(
    z.looseObject({
      type: z.string(),
      format: z.optional(z.string()),
      text: z.optional(z.string()),
    }),
  ),
})

const missingPhone = 'Phone number is required'

/**
 * What POST /webhooks/send takes. `message` is a text for `text`, else WhatsApp's object of that
 * type; buttons may be `{id?, title}`. `clientMessageId` (or the header `Idempotency-Key`) makes a
 * repeated call the same message.
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
 * The answer to POST /webhooks/send, and to the socket's `send-whatsapp-message`. `queued`: the
 * server sends it later, or does not know yet whether WhatsApp accepted it; a status follows.
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

export type WhatsAppTemplate = z.infer<typeof whatsAppTemplate>
