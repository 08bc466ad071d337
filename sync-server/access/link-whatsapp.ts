import type { JsonValue } from '../lib/json-value.ts'
import type { AccountDocument } from './account-documents.ts'

/**
 * The WhatsApp account that a person claims. Unverified, so it routes and grants nothing. Only a
 * business number's id does, and the provider checks it first.
 */
export interface LinkDetails {
  wa_id: string
  phone_number: string
  phone_number_id?: string | null | undefined
  whatsapp_name?: string | null | undefined
  profile?: Record<string, JsonValue> | null | undefined
}

/** The account with this link, which replaces any earlier one. */
export function linkWhatsApp(account: AccountDocument, link: LinkDetails): AccountDocument {
  const { wa_id, phone_number, phone_number_id, whatsapp_name, profile } = link
  return {
    ...unlinkWhatsApp(account),
    wa_id,
    phone_number,
    ...(phone_number_id ? { phone_number_id } : {}),
    ...(whatsapp_name ? { whatsapp_name } : {}),
    ...(profile ? { profile } : {}),
  }
}

export function unlinkWhatsApp(account: AccountDocument): AccountDocument {
  const { wa_id, phone_number, phone_number_id, whatsapp_name, profile, ...rest } = account
  return rest
}

/**
 * No part of a link stays without its phone number, and no profile without a link; people may sign
 * in by a phone number alone.
 */
export function dropLooseLink(account: AccountDocument): AccountDocument {
  const { wa_id, phone_number_id, profile, ...rest } = account
  const isLink = wa_id !== undefined || phone_number_id !== undefined
  return account.phone_number && isLink ? account : rest
}

/** A business number was checked against its phone number: another number needs another check. */
export function dropLooseNumber(before: AccountDocument, next: AccountDocument): AccountDocument {
  const isChecked = next.phone_number_id !== before.phone_number_id
  if (isChecked || next.phone_number === before.phone_number) return next
  const { phone_number_id, ...rest } = next
  return rest
}
