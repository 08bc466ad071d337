import * as z from 'zod/mini'
import { limits } from '../limits.ts'
import {
  linkNeeds,
  phoneNumber,
  phoneNumberId,
  publicUser,
  whatsAppName,
  whatsAppProfile,
} from '../user.ts'

/**
 * What POST /users/contacts takes: the recipient of an operator's first message. Any number
 * formatting.
 */
export const newWhatsAppContact = z.object(
  { phone_number: phoneNumber, whatsapp_name: z.optional(z.nullable(whatsAppName)) },
  'Phone number is required',
)

/**
 * A customer as their operator sees them; everyone else gets "not found". `windowExpiresAt`: until
 * then free text is allowed, then only templates; null when they never wrote.
 */
export const whatsAppContact = z.extend(publicUser, {
  conversationId: z.string(),
  phone_number_id: z.string(),
  windowExpiresAt: z.nullable(z.iso.datetime()),
})

/** This server's business channel, as seen by a linked or linking person. */
export const whatsAppChannel = z.object({
  isOn: z.boolean(),
  /** An emulator on the server's machine: it reaches no one outside. */
  isSandbox: z.boolean(),
  /** The number that the caller's messages leave from. */
  phone_number_id: z.nullable(z.string()),
  display_phone_number: z.nullable(z.string()),
  /** May other messages than templates be sent after a customer's silent day? */
  isWindowEnforced: z.boolean(),
})

/**
 * Fields that only the provider can vouch for. Anyone who could set them would pass for a business.
 */
const vouchedFields = ['whatsapp_business_account_id', 'verified_name', 'quality_rating']

const given = z.string(linkNeeds).check(z.trim(), z.minLength(1, linkNeeds))

const givenProfile = z.pipe(
  whatsAppProfile.check(
    z.refine((profile) => JSON.stringify(profile).length <= limits.whatsAppProfileMaxLength, {
      error: 'The WhatsApp profile is too large',
    }),
  ),
  z.transform((profile: z.infer<typeof whatsAppProfile>) =>
    Object.fromEntries(Object.entries(profile).filter(([name]) => !vouchedFields.includes(name))),
  ),
)

/**
 * What POST /users/link-whatsapp takes; any number formatting. Missing fields are reported before
 * invalid ones. Source: decision 61, section 5.
 */
export const whatsAppLink = z.pipe(
  z.object(
    {
      wa_id: given,
      phone_number: given,
      phone_number_id: z.nullish(phoneNumberId),
      whatsapp_name: z.nullish(whatsAppName),
      profile: z.nullish(givenProfile),
    },
    linkNeeds,
  ),
  z.object({
    wa_id: phoneNumber,
    phone_number: phoneNumber,
    phone_number_id: z.nullish(z.string()),
    whatsapp_name: z.nullish(z.string()),
    profile: z.nullish(whatsAppProfile),
  }),
)
export type WhatsAppLink = z.infer<typeof whatsAppLink>

/** The answer to linking and unlinking: the resulting link. */
export const linkedWhatsApp = z.object({
  wa_id: z.nullable(z.string()),
  phone_number: z.nullable(z.string()),
  phone_number_id: z.nullable(z.string()),
  whatsapp_name: z.nullable(z.string()),
  profile: whatsAppProfile,
  whatsapp_connected: z.boolean(),
})
export type LinkedWhatsApp = z.infer<typeof linkedWhatsApp>

export type WhatsAppChannel = z.infer<typeof whatsAppChannel>

export type NewWhatsAppContact = z.input<typeof newWhatsAppContact>

export type WhatsAppContact = z.infer<typeof whatsAppContact>
