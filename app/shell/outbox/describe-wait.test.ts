import { expect, test } from 'vitest'
import { messageDocument } from '../../../schema/message.ts'
import type { OutboxItem } from '../../sync/outbox/outbox-types.ts'
import { describeNextTry, describeWait, findWaitReason } from './outbox-row.tsx'

const [ann, ben] = ['01900000-0000-7000-8000-0000000000a1', '01900000-0000-7000-8000-0000000000b1']

function write({ hasFile = false, isBehindFile = false } = {}): OutboxItem {
  const message = messageDocument.parse({
    _id: '01900000-0000-7000-8000-0000000000c1',
    peerId: ben,
    senderId: ann,
    recipientId: ben,
    content: 'hello',
    createdAt: 1,
    orderedAt: 1,
    ...(hasFile && { type: 'document', file: { name: 'a.txt', mimeType: 'text/plain', size: 1 } }),
  })
  return { kind: 'message', id: message._id, at: 1, message, isBehindFile }
}

const live = { state: 'live' } as const
const none = { upload: undefined, refusedStatus: undefined }
const explain = (of: Parameters<typeof findWaitReason>[0]) => describeWait(findWaitReason(of))

test('every state of the connection that holds an item back has words', () => {
  const item = write()
  const words = (['offline', 'signed-out', 'outdated', 'connecting', 'live'] as const).map(
    (state) => explain({ item, connection: { state }, ...none }),
  )
  expect(words).toEqual([
    "Sends when you're back online.",
    'Sends after you sign in again.',
    "Sends when you've updated Petrel.",
    "Can't reach the server.",
    'Sending…',
  ])
  const connection = { state: 'trouble', words: 'The server has a problem.' } as const
  expect(explain({ item, connection, ...none })).toBe('The server has a problem.')
})

test('an item tells what holds back it alone', () => {
  const [plain, filed] = [write(), write({ hasFile: true })]
  expect(explain({ item: plain, connection: live, ...none, refusedStatus: 403 })).toBe(
    "Your network didn't let it through (answer 403).",
  )
  const refused = { refusedStatus: 403, refusedWords: 'Your storage on this server is full.' }
  expect(explain({ item: plain, connection: live, ...none, ...refused })).toBe(
    'Your storage on this server is full.',
  )
  expect(explain({ item: write({ isBehindFile: true }), connection: live, ...none })).toBe(
    'Sends after the file before it.',
  )
  const upload = { kind: 'uploading', share: 0.456 } as const
  expect(explain({ item: filed, connection: live, ...none, upload })).toBe(
    'Uploading the file… 45 %',
  )
  const waiting = { kind: 'waiting', words: 'The file is too large.' } as const
  expect(explain({ item: filed, connection: live, ...none, upload: waiting })).toBe(
    'The file is too large.',
  )
  const entry = {
    _id: 'r',
    request: { kind: 'report', userId: ben, reason: 'shouts' },
    resource: 'report:r',
    timestamp: 1,
    state: 'waiting',
    problem: { words: 'Too many reports for now.', code: 'rate_limited' },
  } as const
  const request: OutboxItem = { kind: 'request', id: 'r', at: 1, entry }
  expect(explain({ item: request, connection: live, ...none })).toBe('Too many reports for now.')
})

test('the next try is told in seconds, later in minutes', () => {
  expect([0, 1_001, 89_000, 150_000].map(describeNextTry)).toEqual([
    'Next try in 1 second.',
    'Next try in 2 seconds.',
    'Next try in 89 seconds.',
    'Next try in 3 minutes.',
  ])
})
