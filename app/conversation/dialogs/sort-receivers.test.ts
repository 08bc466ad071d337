import { expect, test } from 'vitest'
import { sortReceivers } from './message-information-dialog.tsx'

const at = (ms: number) => new Date(ms).toISOString()
const member = (userId: string, joinedMs = 1) =>
  ({ userId, role: 'member', joinedAt: at(joinedMs) }) as const

/** Without times. */
const who = (...userIds: string[]) => userIds.map((userId) => ({ userId }))

const message = { orderedAt: 100, status: 'sent' } as const

test('each member has read a message, has received it, or has not yet', () => {
  const sorted = sortReceivers({
    message,
    members: ['ann', 'ben', 'cyd', 'dora'].map((userId) => member(userId)),
    marks: [
      { userId: 'ann', deliveredUpTo: 120, readUpTo: 100 },
      { userId: 'ben', deliveredUpTo: 100, readUpTo: 99 },
      { userId: 'cyd', deliveredUpTo: 99, readUpTo: 0 },
    ],
  })
  expect(sorted).toEqual({
    read: who('ann'),
    received: who('ben'),
    waiting: who('cyd', 'dora'),
  })
})

test('who came into the group after a message is not among them, though their marks lie behind it', () => {
  const sorted = sortReceivers({
    message,
    members: [member('ann'), member('ben', 101)],
    marks: [{ userId: 'ben', deliveredUpTo: 101, readUpTo: 101 }],
  })
  expect(sorted).toEqual({ read: [], received: [], waiting: who('ann') })
})

test('what the message says of everybody counts where the marks are older', () => {
  const given = {
    members: [member('ann'), member('ben')],
    marks: [{ userId: 'ann', deliveredUpTo: 120, readUpTo: 120 }],
  }
  expect(sortReceivers({ ...given, message: { ...message, status: 'delivered' } })).toEqual({
    read: who('ann'),
    received: who('ben'),
    waiting: [],
  })
  expect(sortReceivers({ ...given, message: { ...message, status: 'read' } }).read).toEqual(
    who('ann', 'ben'),
  )
})

test('each has the time at which their mark rose to the message or past it, if anybody noted it', () => {
  const rises = [
    { upTo: 90, at: 0 },
    { upTo: 99, at: 1_000 },
    { upTo: 110, at: 2_000 },
    { upTo: 120, at: 3_000 },
  ]
  const sorted = sortReceivers({
    message,
    members: ['ann', 'ben', 'cyd'].map((userId) => member(userId)),
    marks: [
      { userId: 'ann', deliveredUpTo: 120, readUpTo: 120, readRises: rises },
      { userId: 'ben', deliveredUpTo: 120, readUpTo: 0, deliveredRises: rises },
      { userId: 'cyd', deliveredUpTo: 120, readUpTo: 120, readRises: rises.slice(2) },
    ],
  })
  expect(sorted).toEqual({
    read: [{ userId: 'ann', at: 2_000 }, { userId: 'cyd' }],
    received: [{ userId: 'ben', at: 2_000 }],
    waiting: [],
  })
})
