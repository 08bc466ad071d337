import * as z from 'zod/mini'
import { phoneNumber, publicUser, whatsAppName } from '../user.ts'

/** What POST /users/contacts takes: whom an operator wants to write to. The number in any formatting. */
export const newWhatsAppContact = z.object(
  { phone_number: phoneNumber, whatsapp_name: z.optional(z.nullable(whatsAppName)) },
  'Phone number is required',
)
export type NewWhatsAppContact = z.input<typeof newWhatsAppContact>

/**
 * A customer as their operator sees them; everybody else is told that there is nobody. `windowExpiresAt`: until then
 * anything may be written, after it templates only; null when they never wrote.
 */
export const whatsAppContact = z.extend(publicUser, {
  conversationId: z.string(),
  phone_number_id: z.string(),
  windowExpiresAt: z.nullable(z.iso.datetime()),
})
export type WhatsAppContact = z.infer<typeof whatsAppContact>
