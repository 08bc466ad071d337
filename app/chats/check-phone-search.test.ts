import { expect, test } from 'vitest'
import { checkPhoneSearch } from './phone-search-dialog.tsx'

test.each([
  ['+491701234567', '491701234567'],
  ['+49 (170) 123-45.67', '491701234567'],
])('%s is searched for', (text, digits) => {
  expect(checkPhoneSearch(text)).toEqual({ digits })
})

test.each(['491701234567', '+4917', 'ann', '+49170123456789012345'])(
  '%s is not a number',
  (text) => {
    expect(checkPhoneSearch(text)).toEqual({
      problem: 'Please enter a valid phone number with country code (e.g., +1234567890)',
    })
  },
)

test('asks for a number if there is none', () => {
  expect(checkPhoneSearch('  ')).toEqual({ problem: 'Please enter a phone number' })
})
