import type { JsonValue } from '../lib/json-value.ts'
import type { AccountDocument } from './account-documents.ts'

/**
 * What a person says is their WhatsApp account: nobody has checked it, so it routes and grants nothing. Only the id of a
 * business number does, and that was checked with the provider before it comes here.
 */
export interface LinkDetails {
  wa_id: string
  phone_number: string
  phone_number_id?: string | null | undefined
  whatsapp_name?: string | null | undefined
  profile?: Record<string, JsonValue> | null | undefined
}

/** The account with this link in the place of any before it. */
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

/** No part of a link stands without its phone number; a phone number alone is what one signs in with. */
export function dropLooseLink(account: AccountDocument): AccountDocument {
  const { wa_id, phone_number_id, profile, ...rest } = account
  return account.phone_number ? account : rest
}

/** A business number was checked against its phone number: with another one it has to be checked anew. */
export function dropLooseNumber(before: AccountDocument, next: AccountDocument): AccountDocument {
  const isChecked = next.phone_number_id !== before.phone_number_id
  if (isChecked || next.phone_number === before.phone_number) return next
  const { phone_number_id, ...rest } = next
  return rest
}
