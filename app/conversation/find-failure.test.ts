import { expect, test } from 'vitest'
import { type MessageDocument, messageDocument } from '../../schema/message.ts'
import { refuse } from '../../schema/refusal.ts'
import { findFailure } from './open-conversation.tsx'

const ann = '00000000-0000-7000-8000-00000000000a'
const ben = '00000000-0000-7000-8000-00000000000b'

function write(change: Partial<MessageDocument> = {}): MessageDocument {
  return messageDocument.parse({
    _id: '00000000-0000-7000-8000-000000000001',
    peerId: ben,
    senderId: ann,
    recipientId: ben,
    content: 'come at noon',
    createdAt: 1,
    orderedAt: 1,
    ...change,
  })
}

const failed = write({ status: 'failed', error: 'Too long.' })
const refused = { at: 5, code: 'too_late', error: 'Too late.' }

test('reports a failed message with its reason, once per attempt', () => {
  expect(findFailure([write()], [failed])?.words).toBe('Not sent: come at noon. Too long.')
  expect(findFailure([failed], [{ ...failed, isStarred: true }])).toBeUndefined()
  const retried = { ...failed, attempt: 2 }
  expect(findFailure([write({ attempt: 2 })], [retried])?.key).not.toBe(
    findFailure([write()], [failed])?.key,
  )
})

test('says “Not sent” once, and no full stop after a question mark', () => {
  const before = [write({ content: 'are you there?' })]
  const now = [{ ...failed, content: 'are you there?', error: refuse('unknown_person').error }]
  expect(findFailure(before, now)?.words).toBe('Not sent: are you there? This account was deleted.')
  const unsaid = [{ ...failed, content: 'هل أنت هناك؟' }]
  expect(findFailure(before, unsaid)?.words).toBe('Not sent: هل أنت هناك؟ Too long.')
})

test('reports a refused change, but not a dismissed one', () => {
  const sent = write({ status: 'sent' })
  expect(findFailure([sent], [{ ...sent, refused }])?.words).toBe(
    'Not changed: come at noon. Too late.',
  )
  const dismissed = { ...sent, refused: { ...refused, isDismissed: true } }
  expect(findFailure([{ ...sent, refused }], [dismissed])).toBeUndefined()
})

test('does not report what had failed before the window loaded it', () => {
  expect(findFailure([], [failed])).toBeUndefined()
})
