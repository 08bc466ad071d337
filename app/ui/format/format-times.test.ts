import { expect, test } from 'vitest'
import {
  formatClockTime,
  formatDate,
  formatDay,
  formatLastSeen,
  formatRowTime,
  startOfDay,
  startOfNextDay,
} from './format-times.ts'

const at = (day: number, hour: number, minute = 0) =>
  new Date(2026, 10, day, hour, minute).getTime()
const now = at(21, 15)
const today = startOfDay(now)

test('clock times and dates have two digits everywhere', () => {
  expect(formatClockTime(at(21, 9, 5))).toBe('09:05')
  expect(formatDate(new Date(2026, 0, 3).getTime())).toBe('03/01/2026')
})

test('days are Today, Yesterday, then dates', () => {
  expect(formatDay(at(21, 0), today)).toBe('Today')
  expect(formatDay(at(20, 23, 59), today)).toBe('Yesterday')
  expect(formatDay(at(19, 23), today)).toBe('19/11/2026')
})

test('Yesterday is found across the night when the clocks change', () => {
  const sunday = startOfDay(new Date(2026, 9, 25, 12).getTime())
  expect(formatDay(new Date(2026, 9, 24, 12).getTime(), sunday)).toBe('Yesterday')
})

test('the next day begins at midnight, also when a day has 25 hours or 23', () => {
  for (const [month, day] of [
    [9, 25],
    [2, 29],
    [10, 21],
  ] as const) {
    const next = new Date(2026, month, day + 1).getTime()
    expect(startOfNextDay(new Date(2026, month, day).getTime())).toBe(next)
    expect(startOfNextDay(next - 1)).toBe(next)
    expect(startOfNextDay(next)).toBeGreaterThan(next)
  }
})

test('a row of the list shows the time today, the weekday within the week, and then the date', () => {
  expect(formatRowTime(at(21, 9), today)).toBe('09:00')
  expect(formatRowTime(at(20, 9), today)).toBe('Yesterday')
  expect(formatRowTime(at(19, 23, 59), today)).toBe('Thursday')
  expect(formatRowTime(at(15, 0), today)).toBe('Sunday')
  expect(formatRowTime(at(14, 23, 59), today)).toBe('14/11/2026')
  expect(formatRowTime(at(22, 1), today)).toBe('22/11/2026')
})

test('the week is six days back across the night when the clocks change', () => {
  const monday = startOfDay(new Date(2026, 9, 26, 12).getTime())
  expect(formatRowTime(new Date(2026, 9, 20, 0).getTime(), monday)).toBe('Tuesday')
  expect(formatRowTime(new Date(2026, 9, 19, 23).getTime(), monday)).toBe('19/10/2026')
})

test.each([
  [undefined, 'Never'],
  [now - 59_000, 'just now'],
  [now - 60_000, '1 minute ago'],
  [now - 59 * 60_000, '59 minutes ago'],
  [now - 60 * 60_000, '1 hour ago'],
  [now - 23 * 3_600_000, '23 hours ago'],
  [at(20, 14), 'yesterday at 14:00'],
  [at(18, 14), '18/11/2026 14:00'],
])('last seen %s reads %s', (lastSeen, words) => {
  expect(formatLastSeen(lastSeen, now)).toBe(words)
})
