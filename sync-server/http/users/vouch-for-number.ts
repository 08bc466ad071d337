import type { CheckedNumber } from '../../access/accounts.ts'
import type { Channel } from '../../whatsapp/channel.ts'
import { RequestRefused } from '../core/request-refused.ts'

/** The part of the channel that links numbers. */
export type NumberLinking = Pick<Channel, 'checkNumber'> & {
  operators: Pick<Channel['operators'], 'isPermitted' | 'mayTakeOver'>
}

/** The refusals of checking a number with WhatsApp. */
export const numberCheckErrors = [
  ...(['whatsapp_not_configured', 'number_mismatch', 'number_taken'] as const),
  ...(['number_not_permitted', 'whatsapp_unreachable', 'whatsapp_unavailable'] as const),
] as const

/**
 * A business number's id decides who receives its messages, so the server never stores it
 * unchecked, and only the provider can check it. That it is the number's says nothing about the
 * person: who may operate it the settings say, and who did so before (decision 63).
 * @throws RequestRefused `whatsapp_not_configured` without a provider to ask, `number_not_permitted`,
 * `number_mismatch`
 */
export async function vouchForNumber(
  channel: NumberLinking | undefined,
  link: {
    userId: string
    phone_number_id?: string | null | undefined
    phone_number?: string | null | undefined
  },
): Promise<CheckedNumber> {
  const { userId, phone_number_id: phoneNumberId, phone_number: phone } = link
  if (!phoneNumberId) return { vouched: {}, isProved: false, mayTakeNumber: false }
  if (!channel) throw new RequestRefused('whatsapp_not_configured')
  if (!channel.operators.isPermitted(userId)) throw new RequestRefused('number_not_permitted')
  const { profile, isProved } = await channel.checkNumber({ phoneNumberId, phone: phone ?? '' })
  const mayTakeNumber = channel.operators.mayTakeOver(userId)
  return { vouched: { ...profile }, isProved, mayTakeNumber }
}
