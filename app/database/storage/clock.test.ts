import { expect, test } from 'vitest'
import { createClock } from './clock.ts'
import { createKeyValueStorage } from './key-value-storage.ts'

const hour = 60 * 60 * 1000

test('a clock that is two hours wrong goes by the server, also after a reload', () => {
  const device = { now: 10 * hour }
  const texts = createKeyValueStorage()
  const open = () => createClock({ now: () => device.now, texts })
  const clock = open()
  expect(clock.now()).toBe(10 * hour)
  clock.setServerTime(8 * hour)
  expect(clock.now()).toBe(8 * hour)
  device.now += 500
  expect(open().now()).toBe(8 * hour + 500)
})

test('an answer that was slow does not set the clock back; a clock that was set right is noticed', () => {
  const device = { now: 1_000_000 }
  const clock = createClock({ now: () => device.now })
  clock.setServerTime(1_000_100)
  clock.setServerTime(1_000_050)
  expect(clock.now()).toBe(1_000_100)
  device.now += hour
  clock.setServerTime(1_000_200)
  expect(clock.now()).toBe(1_000_200)
})

test('an answer that took seconds may be as old as that, and sets back only a clock that is further ahead', () => {
  const device = { now: 1_000_000 }
  const clock = createClock({ now: () => device.now })
  clock.setServerTime(1_000_100)
  device.now += 4_000
  clock.setServerTime(1_000_200, 4_000)
  expect(clock.now()).toBe(1_004_100)
  device.now += hour
  clock.setServerTime(1_004_200, 4_000)
  expect(clock.now()).toBe(1_004_200)
})
