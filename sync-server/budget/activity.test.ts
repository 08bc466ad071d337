import { expect, it } from 'vitest'
import { createActivity } from './budget.ts'

it('P12: whoever has asked for something lately is not alone with others who have', () => {
  const clock = { ms: 0 }
  const activity = createActivity(() => clock.ms)
  expect(activity.isAlone('ann')).toBe(true)
  activity.record('ann')
  expect([activity.isAlone('ann'), activity.isAlone('ben')]).toEqual([true, false])
  clock.ms = 500
  activity.record('ben')
  for (let count = 0; count < 10; count += 1) activity.record('ann')
  expect([activity.isAlone('ann'), activity.isAlone('ben')]).toEqual([false, false])
  clock.ms = 1_501
  expect(activity.isAlone('ann')).toBe(true)
})
