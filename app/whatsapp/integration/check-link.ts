import type { WhatsAppLink } from '../../../schema/api/whatsapp-link.ts'
import { linkNeeds } from '../../../schema/user.ts'

/** The form's fields, as typed. */
export interface LinkForm {
  waId: string
  phone: string
  phoneNumberId: string
  displayName: string
}

const formatting = /[\s().-]/g
const withCountryCode = /^\+\d{1,3}\d{10,14}$/

/** The form as the server takes it, or the problem. Source: decision 61, section 5. */
export function checkLink(form: LinkForm): { link: WhatsAppLink } | { problem: string } {
  const waId = form.waId.replace(formatting, '').replace(/^\+/, '')
  const phone = form.phone.replace(formatting, '')
  if (waId === '') return { problem: linkNeeds }
  if (phone === '') return { problem: 'Phone number is required' }
  if (!withCountryCode.test(phone)) {
    return {
      problem: 'Please enter a valid phone number with country code (e.g., +1234567890)',
    }
  }
  const phoneNumberId = form.phoneNumberId.trim()
  const displayName = form.displayName.trim()
  return {
    link: {
      wa_id: waId,
      phone_number: phone.slice(1),
      ...(phoneNumberId && { phone_number_id: phoneNumberId }),
      ...(displayName && { whatsapp_name: displayName }),
    },
  }
}
