import { RequestRefused } from '../../http/core/request-refused.ts'
import type { GraphClient } from './graph-client.ts'
import { fetchNumberInformation } from './number-information.ts'
import type { WhatsAppSettings } from './whatsapp-settings.ts'

/** What is known of a number after the check. */
export interface VouchedNumber {
  /** Goes into the linking person's profile. */
  profile: { whatsapp_business_account_id: string; verified_name?: string; quality_rating?: string }
  /** Has WhatsApp said that this phone number has this id? Unless it was not asked. */
  isProved: boolean
}

export type NumberCheck = (asked: {
  phoneNumberId: string
  /** Digits. */
  phone: string
}) => Promise<VouchedNumber>

/**
 * Asks WhatsApp whether a number's id belongs to the phone number that a person claims to operate.
 * `lenient` takes no answer for a yes, `off` does not ask.
 */
export function createNumberCheck(options: {
  client: GraphClient
  settings: Pick<WhatsAppSettings, 'linkCheck' | 'businessAccountId'>
}): NumberCheck {
  const { client, settings } = options
  const profile = { whatsapp_business_account_id: settings.businessAccountId }
  const account: VouchedNumber = { profile, isProved: false }
  return async ({ phoneNumberId, phone }) => {
    if (settings.linkCheck === 'off') return account
    const found = await fetchNumberInformation(client, phoneNumberId)
    if (found.kind === 'unanswered') {
      if (settings.linkCheck === 'lenient') return account
      throw new RequestRefused('whatsapp_unreachable')
    }
    if (found.kind === 'refused') {
      const { status, code } = found.error
      const isOfNumber = status === 422 && code !== null
      if (isOfNumber) throw new RequestRefused('number_mismatch')
      if (settings.linkCheck === 'lenient') return account
      throw new RequestRefused(code === null ? 'whatsapp_unreachable' : 'whatsapp_unavailable')
    }
    const { digits, verifiedName, qualityRating } = found.value
    if (digits !== phone) throw new RequestRefused('number_mismatch')
    return {
      profile: {
        ...profile,
        ...(verifiedName !== null && { verified_name: verifiedName }),
        ...(qualityRating !== null && { quality_rating: qualityRating }),
      },
      isProved: true,
    }
  }
}
