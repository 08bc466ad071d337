import { describe, expect, it } from 'vitest'
import { createAttemptLimit } from './attempt-limiter.ts'

function countTimes(limit: { count(key: string): void }, key: string, times: number) {
  for (let i = 0; i < times; i += 1) limit.count(key)
}

describe('attempt limit', () => {
  it('allows up to its maximum, for each key by itself', () => {
    const limit = createAttemptLimit({ max: 3, windowMs: 60_000, isOn: true })
    countTimes(limit, 'ann', 2)
    expect(limit.secondsToWait('ann')).toBe(0)
    limit.count('ann')
    expect(limit.secondsToWait('ann')).toBeGreaterThan(0)
    expect(limit.secondsToWait('ben')).toBe(0)
    limit.forget('ann')
    expect(limit.secondsToWait('ann')).toBe(0)
  })

  it('ends its window where it began it, however often is tried meanwhile', () => {
    const clock = { now: 0 }
    const limit = createAttemptLimit({ max: 2, windowMs: 60_000, isOn: true, now: () => clock.now })
    countTimes(limit, 'ann', 2)
    clock.now = 59_000
    limit.count('ann')
    expect(limit.secondsToWait('ann')).toBe(1)
    clock.now = 60_000
    expect(limit.secondsToWait('ann')).toBe(0)
  })

  it('counts nothing when it is off', () => {
    const limit = createAttemptLimit({ max: 1, windowMs: 60_000, isOn: false })
    countTimes(limit, 'ann', 5)
    expect(limit.secondsToWait('ann')).toBe(0)
  })
})
