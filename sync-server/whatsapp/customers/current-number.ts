import { listPhoneVariants } from '../../access/phone-variants.ts'
import type { ContactDocument } from './contact-documents.ts'

/**
 * The number to write to: as typed, because WhatsApp converts that form itself, unless WhatsApp
 * names another one by now; somebody else may have the old one. Null for a hidden number.
 */
export function findCurrentNumber({
  phone,
  waId,
}: Pick<ContactDocument, 'phone' | 'waId'>): string | null {
  if (phone === null || waId === null) return phone ?? waId
  const isSame =
    phone === waId ||
    listPhoneVariants(phone).includes(waId) ||
    listPhoneVariants(waId).includes(phone)
  return isSame ? phone : waId
}
