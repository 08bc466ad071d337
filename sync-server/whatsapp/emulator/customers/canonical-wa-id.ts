import { createHash } from 'node:crypto'

/**
 * The id under which WhatsApp knows a number, which in three countries is not the number.
 * @param digits a whole number with its country code
 */
export function toCanonicalWaId(digits: string): string {
  const [, area, subscriber] = /^55(\d{2})9([6-9]\d{7})$/.exec(digits) ?? []
  if (area && subscriber) return `55${area}${subscriber}`
  if (/^52\d{10}$/.test(digits)) return `521${digits.slice(2)}`
  if (/^54\d{10}$/.test(digits)) return `549${digits.slice(2)}`
  return digits
}

/** The id of a person within one business: the same number always has the same. */
export function toBusinessScopedId(waId: string): string {
  const hash = createHash('sha256').update(`bsuid/${waId}`).digest()
  const digits = [...hash].map((byte) => String(byte % 10)).join('')
  return `US.1${digits.slice(0, 17)}`
}
