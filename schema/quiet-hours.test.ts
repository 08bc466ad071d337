import { expect, test } from 'vitest'
import { isQuietTime, noQuietHours, type QuietHours } from './quiet-hours.ts'

const night: QuietHours = { ...noQuietHours, isOn: true, timeZone: 'Europe/Berlin' }
const at = (time: string) => Date.parse(`2026-01-15T${time}:00Z`)

test.each([
  ['20:59', false],
  ['21:00', true],
  ['23:30', true],
  ['05:59', true],
  ['06:00', false],
])('at %s UTC a night in Berlin is quiet: %s', (time, isQuiet) => {
  expect(isQuietTime(night, at(time))).toBe(isQuiet)
})

test('hours within one day are quiet between them', () => {
  const noon = { ...night, from: '12:00', to: '14:00', timeZone: 'UTC' }
  expect([at('11:59'), at('12:00'), at('14:00')].map((time) => isQuietTime(noon, time))).toEqual([
    false,
    true,
    false,
  ])
})

test('hours that are off are never quiet, and the same time twice is all day', () => {
  expect(isQuietTime({ ...night, isOn: false }, at('23:30'))).toBe(false)
  expect(isQuietTime({ ...night, to: '22:00' }, at('12:00'))).toBe(true)
})

test('they follow summer time, and an unknown zone counts as UTC', () => {
  expect(isQuietTime(night, Date.parse('2026-07-15T20:00:00Z'))).toBe(true)
  expect(isQuietTime({ ...night, timeZone: 'Mars/Olympus' }, at('22:00'))).toBe(true)
})
