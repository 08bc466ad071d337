import { expect, test } from 'vitest'
import { createMessageRate } from './message-rate.ts'

function open(perMinute = 60) {
  const clock = { ms: 0 }
  return { clock, rate: createMessageRate({ perMinute, now: () => clock.ms }) }
}

test('two minutes’ worth may be sent at once, and then the rate per minute', () => {
  const { clock, rate } = open()
  expect(rate.take('ann', 100)).toBe(0)
  expect(rate.take('ann', 20)).toBe(0)
  expect(rate.take('ann', 1)).toBe(1)
  expect(rate.take('ann', 30)).toBe(30)
  clock.ms += 30_000
  expect(rate.take('ann', 30)).toBe(0)
  expect(rate.take('ann', 1)).toBe(1)
})

test('what one person sends is not counted for another', () => {
  const { rate } = open()
  rate.take('ann', 120)
  expect(rate.take('ben', 120)).toBe(0)
})

test('more than fits at once passes once nothing was sent lately, and is waited for afterwards', () => {
  const { clock, rate } = open()
  expect(rate.take('ann', 500)).toBe(0)
  expect(rate.take('ann', 1)).toBe(381)
  clock.ms += 381_000
  expect(rate.take('ann', 1)).toBe(0)
})

test('what was not new after all is given back', () => {
  const { rate } = open()
  rate.take('ann', 120)
  rate.giveBack('ann', 20)
  expect(rate.describe('ann')).toEqual({
    'ratelimit-limit': '120',
    'ratelimit-remaining': '20',
    'ratelimit-reset': '100',
  })
  expect(rate.take('ann', 20)).toBe(0)
})

test('without a rate anything passes, and nothing is said about it', () => {
  const { rate } = open(0)
  expect(rate.take('ann', 1_000_000)).toBe(0)
  expect(rate.describe('ann')).toEqual({})
})
