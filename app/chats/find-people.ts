import type { PublicUser } from '../../schema/user.ts'
import { foldText } from '../database/search/fold-text.ts'

/**
 * Those of these people whose name, name on WhatsApp or number holds the query; accents and case do not count. All
 * customers are found by 'WhatsApp'.
 */
export function findPeople(people: readonly PublicUser[], query: string): PublicUser[] {
  const wanted = foldText(query)
  return people.filter(({ username, whatsapp_name, phone_number, isWhatsAppContact }) =>
    [username, whatsapp_name, phone_number, isWhatsAppContact && 'WhatsApp'].some(
      (part) => part && foldText(part).includes(wanted),
    ),
  )
}
