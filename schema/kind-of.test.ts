import { expect, test } from 'vitest'
import { kindOf } from './conversation.ts'

test('a conversation is with a person, a group or a customer; without a record with a person', () => {
  expect(kindOf(undefined)).toBe('person')
  expect(kindOf({})).toBe('person')
  expect(kindOf({ isWhatsAppContact: false })).toBe('person')
  expect(kindOf({ isWhatsAppContact: true })).toBe('business')
  expect(kindOf({ isGroup: true })).toBe('group')
})
