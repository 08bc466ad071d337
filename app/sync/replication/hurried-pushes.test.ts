import { expect, test } from 'vitest'
import { openTestLab } from '../../lab/open-test-lab.ts'

test('P12: while others write, what is refused is offered no oftener for that', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await lab.settle()
  phone.network.goOffline()
  for (let n = 0; n < 30; n += 1) await phone.say(ben, `refused ${n}`)
  phone.network.refuseWords('refused', 403)
  const before = phone.network.listRequests().length
  const countTries = () =>
    phone.network
      .listRequests()
      .slice(before)
      .filter((line) => line.includes('/sync/messages/_bulk_docs')).length
  phone.network.goOnline()
  await expect.poll(countTries).toBeGreaterThan(0)
  // Tries get rarer with time: the more messages, the less it matters how long a machine takes for each.
  const messages = 40
  for (let n = 0; n < messages; n += 1) {
    const id = await tablet.say(ann, `message ${n}`)
    await expect.poll(async () => (await phone.stored()).messages.has(id)).toBe(true)
  }
  expect(countTries()).toBeLessThan(messages / 2)
})
