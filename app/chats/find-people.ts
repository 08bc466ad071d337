import type { PublicUser } from '../../schema/user.ts'
import { foldText } from '../database/search/fold-text.ts'

/**
 * The people whose name, WhatsApp name or number contains the query, ignoring accents and case.
 * 'WhatsApp' finds all customers.
 */
export function findPeople(people: readonly PublicUser[], query: string): PublicUser[] {
  const wanted = foldText(query)
  return people.filter(({ username, whatsapp_name, phone_number, isWhatsAppContact }) =>
    [username, whatsapp_name, phone_number, isWhatsAppContact && 'WhatsApp'].some(
      (part) => part && foldText(part).includes(wanted),
    ),
  )
}
