import { expect, it } from 'vitest'
import { createPresence } from './presence.ts'

it('somebody whose last time cannot be stored has gone all the same, and everybody is told', async () => {
  const told: string[] = []
  const errors: unknown[] = []
  const presence = createPresence({
    writeLastSeen: () => Promise.reject(new Error('the disk is full')),
    onError: (error) => errors.push(error),
    graceMs: 1,
  })
  presence.onChanged((userIds) => told.push(...userIds))
  presence.arrive('ann')
  presence.leave('ann')
  await expect.poll(() => told).toEqual(['ann', 'ann'])
  expect(presence.isOnline('ann')).toBe(false)
  expect(presence.countOnline()).toBe(0)
  expect(errors).toEqual([new Error('the disk is full')])
})
