import * as z from 'zod/mini'
import { phoneNumber, publicUser, whatsAppName } from '../user.ts'

/**
 * What POST /users/contacts takes: the recipient of an operator's first message. Any number
 * formatting.
 */
export const newWhatsAppContact = z.object(
  { phone_number: phoneNumber, whatsapp_name: z.optional(z.nullable(whatsAppName)) },
  'Phone number is required',
)
export type NewWhatsAppContact = z.input<typeof newWhatsAppContact>

/**
 * A customer as their operator sees them; everyone else gets "not found". `windowExpiresAt`: until
 * then free text is allowed, then only templates; null when they never wrote.
 */
export const whatsAppContact = z.extend(publicUser, {
  conversationId: z.string(),
  phone_number_id: z.string(),
  windowExpiresAt: z.nullable(z.iso.datetime()),
})
export type WhatsAppContact = z.infer<typeof whatsAppContact>
