import { expect, test } from 'vitest'
import { describeTimes } from './bubble-parts.tsx'

const written = new Date(2026, 10, 21, 10, 2).getTime()
const sent = new Date(2026, 10, 21, 11, 40).getTime()

test('a message sent over a minute after it was written shows both times', () => {
  expect(describeTimes({ createdAt: written, orderedAt: sent, status: 'sent' })).toBe(
    'written 10:02 · sent 11:40',
  )
})

test('a message sent on a later day names the day on which it was written', () => {
  const later = new Date(2026, 10, 24, 8, 5).getTime()
  expect(describeTimes({ createdAt: written, orderedAt: later, status: 'sent' })).toBe(
    'written 21/11/2026 10:02 · sent 08:05',
  )
})

test('a message sent right away shows one time', () => {
  expect(describeTimes({ createdAt: written, orderedAt: written + 900, status: 'read' })).toBe(
    '10:02',
  )
})

test('a pending message shows when it was written', () => {
  expect(describeTimes({ createdAt: written, orderedAt: sent, status: 'sending' })).toBe('10:02')
})
