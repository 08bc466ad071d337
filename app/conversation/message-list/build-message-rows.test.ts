import { expect, test } from 'vitest'
import { type MessageDocument, messageDocument } from '../../../schema/message.ts'
import { startOfDay } from '../../ui/format/format-day.ts'
import { buildMessageRows } from './build-message-rows.ts'

const ann = '00000000-0000-7000-8000-00000000000a'
const ben = '00000000-0000-7000-8000-00000000000b'
const today = startOfDay(Date.UTC(2026, 10, 21, 12))
const hourMs = 3_600_000
const options = { firstUnreadId: undefined, today }

function write(number: number, change: Partial<MessageDocument> = {}): MessageDocument {
  const senderId = change.senderId ?? ann
  return messageDocument.parse({
    _id: `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`,
    peerId: ben,
    senderId,
    recipientId: senderId === ann ? ben : ann,
    content: `message ${number}`,
    createdAt: today + number,
    orderedAt: today + number,
    status: 'sent',
    ...change,
  })
}

test('each day’s first message has a date header above it', () => {
  const times = [today - 48 * hourMs, today - 2 * hourMs, today - hourMs, today + hourMs]
  const rows = buildMessageRows(
    times.map((time, index) => write(index, { createdAt: time, orderedAt: time })),
    options,
  )
  expect(rows.map((row) => row.dayLabel)).toEqual([
    expect.stringMatching(/^\d\d\/\d\d\/\d{4}$/),
    'Yesterday',
    undefined,
    'Today',
  ])
})

test('consecutive messages of one author are one group', () => {
  const rows = buildMessageRows(
    [write(1), write(2), write(3, { senderId: ben }), write(4, { senderId: ben }), write(5)],
    options,
  )
  expect(rows.map((row) => row.startsGroup)).toEqual([true, false, true, false, true])
})

test('a pending message is under the day on which it was written, not that of its place', () => {
  const old = today - 72 * hourMs
  const rows = buildMessageRows(
    [
      write(1, { createdAt: old, orderedAt: old }),
      write(2, { createdAt: today + hourMs, orderedAt: old + 1, status: 'sending' }),
    ],
    options,
  )
  expect(rows[1]?.dayLabel).toBe('Today')
})

test('a pending message below arrivals of the next day is under that day', () => {
  const yesterday = today - 2 * hourMs
  const rows = buildMessageRows(
    [
      write(1, { senderId: ben }),
      write(2, { createdAt: yesterday, orderedAt: yesterday, status: 'sending' }),
    ],
    options,
  )
  expect(rows.map((row) => row.dayLabel)).toEqual(['Today', undefined])
})

test('a message sent a day late is under the day on which it was sent', () => {
  const [row] = buildMessageRows(
    [write(1, { createdAt: today - hourMs, orderedAt: today })],
    options,
  )
  expect(row?.dayLabel).toBe('Today')
})

test('the unread line is above the first unread message, and starts a group', () => {
  const messages = [1, 2, 3].map((number) => write(number, { senderId: ben }))
  const firstUnreadId = messages[1]?._id
  const rows = buildMessageRows(messages, { firstUnreadId, today })
  expect(rows.map((row) => row.isFirstUnread)).toEqual([false, true, false])
  expect(rows.map((row) => row.startsGroup)).toEqual([true, true, false])
})
