import { expect, test } from 'vitest'
import { messageDocument } from '../../schema/message.ts'
import { describePosition } from './gallery.tsx'

const item = messageDocument.parse({
  _id: '01900000-0000-7000-8000-0000000000f1',
  createdAt: 1,
  orderedAt: 1,
  peerId: '01900000-0000-7000-8000-00000000000b',
  senderId: '01900000-0000-7000-8000-00000000000b',
  recipientId: '01900000-0000-7000-8000-00000000000a',
})
const items = Array.from({ length: 12 }, () => item)

test.each([
  [false, false, '3 of 12'],
  [true, false, '2 or more older, 9 newer'],
  [false, true, '2 older, 9 or more newer'],
])('with older ones unknown (%j) and newer ones (%j): %s', (hasOlder, hasNewer, words) => {
  expect(describePosition(2, { items, hasOlder, hasNewer })).toBe(words)
})
