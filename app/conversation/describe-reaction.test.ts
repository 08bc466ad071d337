import { expect, test } from 'vitest'
import { type MessageDocument, messageDocument } from '../../schema/message.ts'
import { describeReaction } from './use-reaction-news.ts'

const ann = '00000000-0000-7000-8000-00000000000a'
const ben = '00000000-0000-7000-8000-00000000000b'
const givenAt = 1_000_000

function hear({ content = 'come at noon', peerId = ben, now = givenAt }) {
  const message: MessageDocument = messageDocument.parse({
    _id: '00000000-0000-7000-8000-000000000001',
    peerId,
    senderId: ann,
    recipientId: peerId,
    content,
    createdAt: 1,
    orderedAt: 1,
  })
  const reaction = { emoji: '👍', at: givenAt }
  return describeReaction(
    { message, userId: ben, reaction },
    { peerId: ben, nameOf: (userId) => (userId === ben ? 'ben' : 'nobody'), now },
  )
}

test('announces a reaction in this chat with who, what, and the start of the message', () => {
  expect(hear({})).toBe('ben reacted 👍 to: come at noon')
  expect(hear({ content: 'x'.repeat(100) })).toBe(`ben reacted 👍 to: ${'x'.repeat(40)}...`)
})

test('does not announce one in another chat, or one from a catch-up', () => {
  expect(hear({ peerId: ann })).toBeUndefined()
  expect(hear({ now: givenAt + 60_000 })).toBeUndefined()
})
