import { RequestRefused } from '../request-refused.ts'

/**
 * A business number's id says whose messages go to whom, so it is never stored unchecked, and only the provider
 * can check it: without the business channel there is none to ask.
 * @throws RequestRefused `whatsapp_not_configured`
 */
export function refuseNumberId(numberId: string | null | undefined) {
  if (numberId) throw new RequestRefused('whatsapp_not_configured')
}
