import { expect, test } from 'vitest'
import { describePlainChat } from './describe-plain-chat.ts'

test('a chat that others could read says why: the person, WhatsApp, or that it is a group', () => {
  expect(describePlainChat({ username: 'Ben' })).toBe(
    "Not encrypted: Ben hasn't set up encryption yet.",
  )
  expect(describePlainChat({ username: 'Ben', isWhatsAppContact: true })).toMatch(/WhatsApp/)
  expect(describePlainChat({ username: 'Walks', isGroup: true })).toBe(
    "Not encrypted: somebody in this group hasn't set up encryption yet.",
  )
})
