/**
 * Other numbers that may belong to the same person, for finding an existing account: WhatsApp has
 * some of Brazil, Mexico and Argentina with a mobile digit less or more than people write.
 * @param digits a whole number with its country code
 */
export function listPhoneVariants(digits: string): string[] {
  const [, brazilArea, brazilSubscriber] = /^55(\d{2})([6-9]\d{7})$/.exec(digits) ?? []
  if (brazilArea && brazilSubscriber) return [`55${brazilArea}9${brazilSubscriber}`]
  const [, longArea, longSubscriber] = /^55(\d{2})9([6-9]\d{7})$/.exec(digits) ?? []
  if (longArea && longSubscriber) return [`55${longArea}${longSubscriber}`]

  if (/^521\d{10}$/.test(digits)) return [`52${digits.slice(3)}`]
  if (/^52\d{10}$/.test(digits)) return [`521${digits.slice(2)}`]

  // The reverse could be another subscriber: a landline has no 9.
  if (/^549\d{10}$/.test(digits)) return [`54${digits.slice(3)}`]
  return []
}
