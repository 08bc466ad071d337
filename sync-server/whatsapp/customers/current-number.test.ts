import { expect, test } from 'vitest'
import { findCurrentNumber } from './present-contact.ts'

test.each([
  ['15555550170', null, '15555550170'],
  [null, '15555550170', '15555550170'],
  [null, null, null],
  ['5511987654321', '551187654321', '5511987654321'],
  ['525512345678', '5215512345678', '525512345678'],
  ['541123456789', '5491123456789', '541123456789'],
  ['15555550170', '15555550171', '15555550171'],
])('typed as %s, and %s to WhatsApp: writes to %s', (phone, waId, number) => {
  expect(findCurrentNumber({ phone, waId })).toBe(number)
})
