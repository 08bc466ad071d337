const formatting = /[\s().-]/g
const withCountryCode = /^\+\d{1,3}\d{10,14}$/

export type PhoneSearchCheck = { digits: string } | { problem: string }

/** The digits of the number, with its country code. Source: decision 61, section 5. */
export function checkPhoneSearch(text: string): PhoneSearchCheck {
  const phone = text.replace(formatting, '')
  if (phone === '') return { problem: 'Please enter a phone number' }
  if (withCountryCode.test(phone)) return { digits: phone.slice(1) }
  return {
    problem: 'Please enter a valid phone number with country code (e.g., +1234567890)',
  }
}
