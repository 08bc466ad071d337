import { limits } from '../../../schema/limits.ts'
import { RequestRefused } from './request-refused.ts'

/**
 * The digits of a phone number in any formatting.
 * @throws RequestRefused when it has too few digits
 */
export function readWholeNumber(text: string): string {
  const digits = text.replace(/\D/g, '')
  if (digits.length >= limits.phoneLookupMinDigits) return digits
  const words = `Phone number must be at least ${limits.phoneLookupMinDigits} digits`
  throw new RequestRefused('invalid_input', { words })
}
