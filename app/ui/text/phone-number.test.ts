import { expect, test } from 'vitest'
import { groupDigits } from './phone-number.tsx'

test.each([
  ['15550100200', '1 555 010 0200'],
  ['491701234567', '49 170 123 4567'],
  ['4917012345678', '49 170 123 456 78'],
  ['919876543210', '91 987 654 3210'],
  ['35312345678', '353 123 456 78'],
  ['79991234567', '7 999 123 4567'],
  ['12', '1 2'],
])('%s is drawn as %s, and loses no digit', (digits, grouped) => {
  expect(groupDigits(digits).join(' ')).toBe(grouped)
  expect(groupDigits(digits).join('')).toBe(digits)
})
