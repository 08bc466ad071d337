import { expect, it } from 'vitest'
import type { ServerEvent } from '../../schema/api/socket-events.ts'
import { isShownAsOnline, openTestPresence, whoIsOnline } from '../testing/open-test-presence.ts'

const bytesOf = (event: ServerEvent) => JSON.stringify(event).length

it('two hundred devices are told by one small frame each who comes and who goes', async () => {
  const { app, connect, count } = await openTestPresence()
  const names = Array.from({ length: 200 }, (_, index) => `Person${index}`)
  const crowd = await app.registerAll(names)
  const [ann, ben] = [await app.register('Ann'), await app.register('Ben')]
  const devices = await Promise.all(crowd.map((person) => connect(person)))
  // A device that heard of Ann has heard of everybody before her.
  devices.push(await connect(ann))
  for (const device of devices) {
    await expect.poll(() => isShownAsOnline(device, ann)).toBe(true)
    await expect.poll(() => whoIsOnline(device).size).toBe(devices.length)
  }

  const before = await count()
  const bens = await connect(ben)
  for (const device of devices) await expect.poll(() => isShownAsOnline(device, ben)).toBe(true)
  bens.socket.close()
  for (const device of devices) await expect.poll(() => isShownAsOnline(device, ben)).toBe(false)
  const after = await count()
  expect(after.lists - before.lists).toBe(1)
  expect(after.frames - before.frames).toBe(1 + 2 * devices.length)
  const list = bytesOf({
    event: 'users-online',
    data: [...crowd, ann, ben].map((one) => one.userId),
  })
  const frame = bytesOf({ event: 'presence-changed', data: { online: [ben.userId], offline: [] } })
  expect(after.bytes - before.bytes).toBe(list + 2 * devices.length * frame)
})

it('two hundred devices that come at once cost a list each at most, whoever else comes', async () => {
  const { app, connect, count } = await openTestPresence()
  const names = Array.from({ length: 200 }, (_, index) => `Person${index}`)
  const crowd = await app.registerAll(names)
  const devices = await Promise.all(crowd.map((person) => connect(person)))
  for (const device of devices) {
    await expect.poll(() => whoIsOnline(device).size).toBe(devices.length)
  }
  expect((await count()).lists).toBeLessThanOrEqual(devices.length)
  for (const device of devices) expect(device.count('users-online')).toBe(1)
})

it('a device that says again and again that it is online is told nothing that it knows', async () => {
  const { app, connect, count } = await openTestPresence()
  const ann = await app.register('Ann')
  const devices = await Promise.all(Array.from({ length: 5 }, () => connect(ann, [])))
  const before = await count()
  for (const device of devices) {
    for (let time = 0; time < 20; time += 1) device.say('user-online', ann.userId)
    // The server handles one device's events in turn.
    device.say('typing', { recipientId: ann.userId })
  }
  for (const device of devices) {
    await expect.poll(() => device.count('user-typing')).toBe(devices.length)
  }
  expect(await count()).toEqual(before)
})

it('a device of the first version is told whole lists, beside one that is told changes', async () => {
  const { app, connect } = await openTestPresence()
  const [ann, ben, cyd] = [
    await app.register('Ann'),
    await app.register('Ben'),
    await app.register('Cyd'),
  ]
  const [old, young] = [await connect(ann, []), await connect(ben)]
  const cyds = await connect(cyd)
  await expect.poll(() => old.last('users-online')).toContain(cyd.userId)
  await expect.poll(() => isShownAsOnline(young, cyd)).toBe(true)
  cyds.socket.close()
  await expect.poll(() => old.last('users-online')).not.toContain(cyd.userId)
  await expect.poll(() => isShownAsOnline(young, cyd)).toBe(false)
  expect(young.count('users-online')).toBe(1)
  expect(old.count('presence-changed') + old.count('presence-scope')).toBe(0)
})

it('devices of the first version share one list for each change', async () => {
  const { app, connect, count } = await openTestPresence()
  const names = Array.from({ length: 30 }, (_, index) => `Person${index}`)
  const crowd = await app.registerAll(names)
  const devices = await Promise.all(crowd.map((person) => connect(person, [])))
  for (const device of devices) {
    await expect.poll(() => whoIsOnline(device).size).toBe(devices.length)
  }
  const before = await count()
  const ann = await app.register('Ann')
  await connect(ann, [])
  for (const device of devices) await expect.poll(() => isShownAsOnline(device, ann)).toBe(true)
  const { lists, frames } = await count()
  expect(frames - before.frames).toBe(devices.length + 1)
  expect(lists - before.lists).toBe(1)
})

it('a device that asks in a flood, of what it is still to be told, gets one list a second', async () => {
  const { app, connect } = await openTestPresence({}, { announceEveryMs: 60 * 60 * 1_000 })
  const [ann, ben] = [await app.register('Ann'), await app.register('Ben')]
  const anns = await connect(ann, [])
  const greetedAt = performance.now()
  await connect(ben)
  const ask = () => {
    for (let time = 0; time < 20; time += 1) anns.say('user-online', ann.userId)
    return isShownAsOnline(anns, ben)
  }
  await expect.poll(ask, { interval: 400 }).toBe(true)
  const seconds = (performance.now() - greetedAt) / 1_000
  expect(anns.count('users-online')).toBeLessThanOrEqual(1 + Math.ceil(seconds))
})
