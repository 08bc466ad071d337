import { expect, test } from 'vitest'
import { checkPhone } from './channel-dialogs.tsx'

test.each([
  ['+1 (555) 078-3881', '15550783881'],
  ['1234567890', '1234567890'],
  ['+123456789012345', '123456789012345'],
])('%s can be written to', (text, digits) => {
  expect(checkPhone(text)).toEqual({ digits })
})

test.each([
  ['', 'Phone number is required'],
  ['  ', 'Phone number is required'],
  [
    '+123456789',
    'Invalid phone number format. Please use international format (e.g., +1234567890)',
  ],
  [
    '+1234567890123456',
    'Invalid phone number format. Please use international format (e.g., +1234567890)',
  ],
  ['Ann', 'Invalid phone number format. Please use international format (e.g., +1234567890)'],
])('"%s" cannot: %s', (text, problem) => {
  expect(checkPhone(text)).toEqual({ problem })
})
