import { expect, it } from 'vitest'
import { openTestPresence } from '../testing/open-test-presence.ts'
import { createFrameBudgets } from './frame-budgets.ts'

it('what a person may say does not grow with their sockets, and comes back with time', () => {
  const clock = { now: 0 }
  const budgets = createFrameBudgets(() => clock.now)
  const take = (userId: string, frames: number) =>
    Array.from({ length: frames }, () => budgets.takeFrame(userId)).filter(Boolean).length
  expect(take('ann', 1_000)).toBe(240)
  expect(take('ben', 1)).toBe(1)
  expect(take('ann', 1)).toBe(0)
  clock.now += 60_000
  expect(take('ann', 1_000)).toBe(240)
})

it('P12: twenty sockets that each say little are too much together', async () => {
  const { app, connect } = await openTestPresence()
  const [ann, ben] = [await app.register('Ann'), await app.register('Ben')]
  const devices = await Promise.all(Array.from({ length: 20 }, () => connect(ann)))
  const bens = await connect(ben)
  // A hundred each is less than a socket alone may say at once.
  for (const device of devices) {
    for (let time = 0; time < 100; time += 1) device.say('typing', { recipientId: ann.userId })
  }
  await expect.poll(() => devices.map((device) => device.closedWith())).toContain(4429)
  bens.say('typing', { recipientId: ben.userId })
  await expect.poll(() => bens.count('user-typing')).toBe(1)
})
