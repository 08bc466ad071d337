import { expect, test } from 'vitest'
import { createPace } from './pace.ts'

function open() {
  const clock = { now: 0 }
  const pace = createPace({ bytesPerSecond: 1_000, patienceMs: 30_000, now: () => clock.now })
  return { clock, pace }
}

test('P12: a line of 64 kbit/s keeps the pace, and may stand still for a while', () => {
  const { clock, pace } = open()
  for (let second = 0; second < 3_600; second += 1) {
    clock.now += 1_000
    pace.record(8_000)
    expect(pace.isOver()).toBe(false)
  }
  clock.now += 29_000
  expect([pace.isOver(), pace.lateMs()]).toEqual([false, 29_000])
  pace.record(29_000)
  expect(pace.lateMs()).toBe(0)
})

test('P12: a byte now and then is not enough, however long it was quick before', () => {
  const { clock, pace } = open()
  pace.record(50_000_000)
  let seconds = 0
  for (; !pace.isOver(); seconds += 10) {
    clock.now += 10_000
    pace.record(1)
  }
  expect(seconds).toBe(40)
})

test('a wait of ours is not theirs', () => {
  const { clock, pace } = open()
  clock.now += 29_000
  pace.hold()
  clock.now += 29_000
  expect(pace.isOver()).toBe(false)
  pace.relax(60_000)
  clock.now += 30_000
  expect(pace.isOver()).toBe(false)
  clock.now += 2_000
  expect(pace.isOver()).toBe(true)
})
