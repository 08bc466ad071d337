import { expect, onTestFinished, test, vi } from 'vitest'
import { waitUntil } from '../../lab/browser/wait-until.ts'
import type { Network } from '../../lab/kit/network.ts'
import type { Exchange } from '../../lab/kit/request-faults.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'

test('P1: what comes while the disk is full is told as trouble, and comes once there is room', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await phone.say(ben, 'before')
  await lab.settle()
  tablet.disk.fillUp()
  await phone.say(ben, 'while it is full')
  const { connection } = tablet.messenger
  await waitUntil('the trouble is told', () => connection.getSnapshot().state === 'trouble')
  expect(connection.getSnapshot().words).toContain('Free up some space')
  await expect(tablet.say(ann, 'not stored, and so not sent')).rejects.toThrow()
  tablet.disk.makeRoom()
  await phone.say(ben, 'after')
  await lab.settle()
  const texts = (await tablet.read(ann)).map(({ content }) => content)
  expect(texts).toEqual(['before', 'while it is full', 'after'])
})

test('P1: what is written after the clock was set back two hours leaves all the same', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  const early = await phone.say(ben, 'with the clock ahead')
  await lab.settle()
  await phone.close()
  await phone.advanceWriteTimes(2 * 60 * 60 * 1000)
  phone.network.goOffline()
  await phone.reload()
  await phone.say(ben, 'with the clock right')
  await phone.messenger.commands.editMessage(early, 'edited with the clock right')
  await phone.reload()
  phone.network.goOnline()
  await lab.settle()
  const texts = (await tablet.read(ann)).map(({ content }) => content)
  expect(texts).toEqual(['edited with the clock right', 'with the clock right'])
})

test('P6: a receipt that could not be stored is given once there is room', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await phone.say(ben, 'before')
  await lab.settle()
  tablet.disk.fillUp('conversations')
  const id = await phone.say(ben, 'while there is no room for a receipt')
  await waitUntil('it arrives', async () => (await tablet.stored()).messages.has(id))
  await waitUntil('its receipt finds no room', () => tablet.disk.countRefused() > 0)
  tablet.disk.makeRoom()
  await lab.settle()
  expect((await phone.read(ben)).map(({ status }) => status)).toEqual(['delivered', 'delivered'])
})

test('P1: a change of a conversation that found no room comes once there is some', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  tablet.network.goOffline()
  await phone.say(ben, 'hello')
  const readStatus = async () => (await phone.read(ben)).map(({ status }) => status)
  // The device itself was the last to write its conversation.
  await expect.poll(readStatus).toEqual(['sent'])
  phone.disk.fillUp('conversations')
  tablet.network.goOnline()
  await waitUntil('its mark finds no room', () => phone.disk.countRefused() > 0)
  phone.disk.makeRoom()
  await lab.settle()
  expect(await readStatus()).toEqual(['delivered'])
})

const longestWaitNs = 500_000_000n

/**
 * Advances virtual time until it is so. What is on its way arrives first, and what happens then ends: how long either
 * takes is the machine's, and no part of the time that passes.
 * @returns the ms passed
 */
async function passTime({ exchanges }: Network, isOver: () => boolean): Promise<number> {
  const isUnderWay = ({ endedAt, url }: Exchange) =>
    endedAt === undefined && !url.includes('feed=longpoll')
  let passed = 0
  for (; !isOver(); passed += 100) {
    // The server may need the next step itself: its timers stand still, too.
    const longestAt = process.hrtime.bigint() + longestWaitNs
    for (let quiet = 0; quiet < 50; quiet += 1) {
      await new Promise((done) => setImmediate(done))
      if (exchanges.some(isUnderWay) && process.hrtime.bigint() < longestAt) quiet = 0
    }
    if (isOver()) break
    await vi.advanceTimersByTimeAsync(100)
  }
  return passed
}

test('P1: after much trouble with the disk, neither who returns nor a later trouble waits long', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await phone.say(ben, 'before')
  await lab.settle()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { connection } = tablet.messenger
  const isLive = () => connection.getSnapshot().state === 'live'
  async function haveTrouble() {
    tablet.disk.fillUp('messages')
    await phone.say(ben, 'while it is full')
    await passTime(tablet.network, () => connection.getSnapshot().state === 'trouble')
    tablet.disk.makeRoom()
  }
  for (let troubles = 1; troubles <= 5; troubles += 1) {
    await haveTrouble()
    await passTime(tablet.network, isLive)
  }
  // From the sixth on it waits for fifteen seconds at least.
  await haveTrouble()
  const untilHurried = await passTime(tablet.network, () => {
    tablet.tabs[0]?.page.setVisible(true)
    return isLive()
  })
  expect(untilHurried).toBeLessThan(10_000)
  await vi.advanceTimersByTimeAsync(2 * 60_000)
  await haveTrouble()
  expect(await passTime(tablet.network, isLive)).toBeLessThan(10_000)
})
