import { createHash } from 'node:crypto'

/**
 * WhatsApp's id of a number, which in three countries differs from the number.
 * @param digits a whole number with its country code
 */
export function toCanonicalWaId(digits: string): string {
  const [, area, subscriber] = /^55(\d{2})9([6-9]\d{7})$/.exec(digits) ?? []
  if (area && subscriber) return `55${area}${subscriber}`
  if (/^52\d{10}$/.test(digits)) return `521${digits.slice(2)}`
  if (/^54\d{10}$/.test(digits)) return `549${digits.slice(2)}`
  return digits
}

/** A person's id within one business: always the same for one number. */
export function toBusinessScopedId(waId: string): string {
  const hash = createHash('sha256').update(`bsuid/${waId}`).digest()
  const digits = [...hash].map((byte) => String(byte % 10)).join('')
  return `US.1${digits.slice(0, 17)}`
}
