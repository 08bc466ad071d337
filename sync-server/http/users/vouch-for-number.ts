import type { Channel } from '../../whatsapp/channel.ts'
import type { VouchedNumber } from '../../whatsapp/client/number-check.ts'
import { RequestRefused } from '../core/request-refused.ts'

/** The refusals of checking a number with WhatsApp. */
export const numberCheckErrors = [
  ...(['whatsapp_not_configured', 'number_mismatch', 'number_taken'] as const),
  ...(['whatsapp_unreachable', 'whatsapp_unavailable'] as const),
] as const

/**
 * A business number's id decides who receives its messages, so the server never stores it
 * unchecked, and only the provider can check it.
 * @throws RequestRefused `whatsapp_not_configured` without a provider to ask, `number_mismatch`
 */
export async function vouchForNumber(
  channel: Pick<Channel, 'checkNumber'> | undefined,
  link: { phone_number_id?: string | null | undefined; phone_number?: string | null | undefined },
): Promise<Partial<VouchedNumber>> {
  const { phone_number_id: phoneNumberId, phone_number: phone } = link
  if (!phoneNumberId) return {}
  if (!channel) throw new RequestRefused('whatsapp_not_configured')
  return await channel.checkNumber({ phoneNumberId, phone: phone ?? '' })
}
