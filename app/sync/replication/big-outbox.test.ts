import { expect, test } from 'vitest'
import { openTestLab } from '../../lab/open-test-lab.ts'

/** 480 immediately, then four per second. */
const settings = { MESSAGE_RATE: '240' }
const written = 520
const waiting = { stillMs: 60_000, withinMs: 110_000 }

test('P6 P11: all that was written on a flight arrives, also what the server takes only later', async () => {
  const { lab, ann, ben } = await openTestLab({ settings })
  const [phone, tablet] = [await ann.device(), await ben.device()]
  phone.network.goOffline()
  for (let index = 0; index < written; index += 1) await phone.say(ben, `${index}`)
  phone.network.goOnline()
  await lab.settle(waiting)
  await lab.expectConverged()
  const own = [...(await phone.stored()).messages.values()]
  expect(own).toHaveLength(written)
  expect(own.every(({ status }) => status !== 'failed' && status !== 'sending')).toBe(true)
  expect((await tablet.stored()).messages.size).toBe(written)
})

test('P6: rate-limited messages keep their clock, and the app does not report a broken server', async () => {
  const { lab, ann, ben } = await openTestLab({ settings: { MESSAGE_RATE: '1' } })
  const phone = await ann.device()
  await phone.say(ben, 'one')
  await phone.say(ben, 'two')
  await expect.poll(async () => (await ann.server.messages()).size).toBe(2)
  const held = await phone.say(ben, 'three')
  const readMetrics = async () => await (await fetch(`${lab.server.url}/metrics`)).text()
  await expect.poll(readMetrics).toMatch(/petrel_message_rate_refused_total [1-9]/)
  await expect
    .poll(() => phone.messenger.connection.getSnapshot())
    .toMatchObject({ state: 'live', pendingCount: 1 })
  expect((await phone.stored()).messages.get(held)).toMatchObject({ status: 'sending' })
})

test('P6: a full storage comes back to the person with words, and a retry once there is room sends it', async () => {
  const { lab, ann, ben } = await openTestLab({ settings: { STORAGE_QUOTA_MB: '1' } })
  const phone = await ann.device()
  const long = 'x'.repeat(60_000)
  const ids: string[] = []
  for (let index = 0; index < 18; index += 1) ids.push(await phone.say(ben, long))
  await lab.settle()
  const id = await phone.say(ben, 'one more')
  await lab.settle()
  const refused = (await phone.stored()).messages.get(id)
  expect(refused).toMatchObject({ status: 'failed', content: 'one more' })
  expect(refused?.error).toMatch(/your storage on this server is full/)
  for (const old of ids.slice(0, 3)) await phone.delete(old)
  await lab.settle()
  await phone.messenger.commands.retryMessage(id)
  await lab.settle()
  await lab.expectConverged()
  expect((await phone.stored()).messages.get(id)).toMatchObject({ content: 'one more' })
  expect((await phone.stored()).messages.get(id)?.status).not.toBe('failed')
})
