const phone = /^\+?[\d\s().-]+$/

/** What to search for: a phone number counts by its digits, however it is written. */
export function readSearchText(typed: string): string {
  const text = typed.trim()
  return phone.test(text) ? text.replace(/\D/g, '') : text
}
