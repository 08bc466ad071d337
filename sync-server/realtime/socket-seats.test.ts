import { expect, it } from 'vitest'
import { socketCloseCodes, socketCloseWords } from '../../schema/api/socket-events.ts'
import { limits } from '../../schema/limits.ts'
import { openTestPresence } from '../testing/open-test-presence.ts'

const { socketsPerPersonMax: max } = limits

async function start() {
  const presence = await openTestPresence()
  const ann = await presence.app.register('Ann')
  const connectMany = (count: number) =>
    Promise.all(Array.from({ length: count }, () => presence.connect(ann)))
  return { ...presence, ann, connectMany }
}

it('P12: of a person’s sockets the one that was silent longest makes room for the next', async () => {
  const { app, ann, connect, connectMany } = await start()
  const first = await connect(ann)
  const second = await connect(ann)
  await connectMany(max - 2)
  expect(first.closedWith()).toBe(undefined)
  first.say('typing', { recipientId: ann.userId })
  await expect.poll(() => first.count('user-typing')).toBe(1)
  const next = await connect(ann)
  expect(await second.closed).toBe(socketCloseCodes.displaced)
  expect(second.closedSaying()).toBe(socketCloseWords.displaced)
  expect(first.closedWith()).toBe(undefined)
  expect(next.closedWith()).toBe(undefined)
  await expect.poll(() => app.stats().sockets).toBe(max)
})

it('P12: a hundred that one person opens are twenty, and take no place of anybody else', async () => {
  const { app, connect, connectMany } = await start()
  const bens = await connect(await app.register('Ben'))
  for (let round = 0; round < 5; round += 1) await connectMany(max)
  await expect.poll(() => app.stats().sockets).toBe(max + 1)
  expect(bens.closedWith()).toBe(undefined)
})

it('P12: one that has to make room and does not hear it is cut off', async () => {
  const { app, ann, connect, connectMany } = await start()
  const silent = await connect(ann)
  await silent.pauseReading()
  await connectMany(max)
  await expect.poll(() => app.stats().sockets).toBe(max)
})

it('words of a close fit into its frame', () => {
  for (const words of Object.values(socketCloseWords)) {
    expect(Buffer.byteLength(words)).toBeLessThanOrEqual(123)
  }
})
