import { expect, test } from 'vitest'
import { readSettings, type Settings } from '../../schema/settings.ts'
import { createApi } from '../api/api.ts'
import { createSessionStore } from '../api/session-store.ts'
import { testSession } from '../api/testing/open-test-answers.ts'
import { createKeyValueStorage } from '../database/storage/key-value-storage.ts'
import { waitUntil } from '../lab/browser/wait-until.ts'
import type { LabDevice } from '../lab/device/lab-device-types.ts'
import { openTestLab } from '../lab/open-test-lab.ts'

/** Ann with three devices, and her own fault-free view of the server. */
async function start() {
  const { lab, ann } = await openTestLab()
  const [phone, laptop, tablet] = [await ann.device(), await ann.device(), await ann.device()]
  const sessions = createSessionStore({
    kept: createKeyValueStorage(),
    passing: createKeyValueStorage(),
  })
  sessions.set({ ...testSession, token: ann.token }, { keepSignedIn: true })
  /** The server may have another address by then. */
  const readServer = async () => {
    const { own } = createApi({ serverUrl: lab.server.url, fetch, sessions })
    return readSettings((await own.me()).settings)
  }
  await lab.settle()
  const devices = [phone, laptop, tablet]
  async function expectEverywhere(expected: Partial<Settings>) {
    for (const device of devices) {
      await waitUntil(`${device.name} has it`, () => hasAll(valuesOf(device), expected))
    }
    await lab.settle()
    for (const device of devices) expect(valuesOf(device)).toMatchObject(expected)
    expect(await readServer()).toMatchObject(expected)
  }
  return { lab, ann, phone, laptop, tablet, readServer, expectEverywhere }
}

const valuesOf = (device: LabDevice) => device.messenger.settings.values.getSnapshot()
const hasAll = (values: Settings, expected: Partial<Settings>) =>
  Object.entries(expected).every(([name, value]) => values[name as keyof Settings] === value)
const set = (device: LabDevice, change: Partial<Settings>) => device.messenger.settings.set(change)

test('what is set on one device applies there at once, and on the others while they are open', async () => {
  const { phone, laptop, expectEverywhere } = await start()
  await set(phone, { lastSeenFor: 'chats' })
  expect(valuesOf(phone)).toEqual({ ...readSettings({}), lastSeenFor: 'chats' })
  await waitUntil('the laptop has it', () => valuesOf(laptop).lastSeenFor === 'chats')
  await expectEverywhere({ lastSeenFor: 'chats' })
})

test('P5: devices that changed different and the same settings offline converge, and one that was away', async () => {
  const { phone, laptop, tablet, expectEverywhere } = await start()
  await tablet.close()
  phone.network.goOffline()
  laptop.network.goOffline()
  await set(phone, { aboutFor: 'chats', pictureFor: 'chats' })
  await set(phone, { readReceipts: false })
  await set(laptop, { onlineFor: 'chats', readReceipts: false })
  await set(laptop, { readReceipts: true, pictureFor: 'everybody' })
  // The later change leaves first: the earlier one must not undo it.
  laptop.network.goOnline()
  await waitUntil('it has left', async () => (await laptop.messenger.countUnsent()) === 0)
  await phone.reload()
  phone.network.goOnline()
  await tablet.reload()
  await expectEverywhere({
    aboutFor: 'chats',
    onlineFor: 'chats',
    pictureFor: 'everybody',
    readReceipts: true,
  })
})

test('P7: without sockets a device reads what it missed when it connects', async () => {
  const { phone, laptop, expectEverywhere } = await start()
  laptop.network.goOffline()
  await set(phone, { aboutFor: 'chats' })
  await waitUntil('it has left', async () => (await phone.messenger.countUnsent()) === 0)
  laptop.network.blockSockets()
  laptop.network.goOnline()
  await expectEverywhere({ aboutFor: 'chats' })
  await set(phone, { aboutFor: 'everybody' })
  await expectEverywhere({ aboutFor: 'everybody' })
})

test('P2: an answer that is lost brings the change once, and undoes no later one', async () => {
  const { phone, laptop, expectEverywhere } = await start()
  phone.network.goOffline()
  await set(phone, { aboutFor: 'chats' })
  await set(laptop, { aboutFor: 'everybody', onlineFor: 'chats' })
  phone.network.loseResponses(2)
  phone.network.goOnline()
  await expectEverywhere({ aboutFor: 'everybody', onlineFor: 'chats' })
})

test('P11: a change that the server lost with a backup is offered again', async () => {
  const { lab, phone, readServer, expectEverywhere } = await start()
  await set(phone, { aboutFor: 'chats' })
  await expectEverywhere({ aboutFor: 'chats' })
  await lab.server.takeBackup()
  await set(phone, { readReceipts: false })
  await expectEverywhere({ readReceipts: false })
  await lab.server.putBackBackup()
  await waitUntil('the server has it again', async () => !(await readServer()).readReceipts)
  await expectEverywhere({ aboutFor: 'chats', readReceipts: false })
})

test('a device whose clock is a day ahead keeps no setting from later changes', async () => {
  const { lab, ann, phone } = await start()
  const fast = await ann.device({ clockAheadMs: 24 * 60 * 60 * 1000 })
  await lab.settle()
  await set(fast, { aboutFor: 'chats' })
  await waitUntil('the phone has it', () => valuesOf(phone).aboutFor === 'chats')
  await lab.settle()
  await set(phone, { aboutFor: 'everybody' })
  await waitUntil('it gives way', () => valuesOf(fast).aboutFor === 'everybody')
})

test('another tab sees a change, and signing out leaves none on the device', async () => {
  const { phone } = await start()
  const second = await phone.openTab()
  await set(phone, { aboutFor: 'chats' })
  const { values } = second.messenger.settings
  await waitUntil('the other tab sees it', () => values.getSnapshot().aboutFor === 'chats')
  await phone.reload()
  expect(valuesOf(phone).aboutFor).toBe('chats')
  expect(phone.readText('userSettings')).toBe(JSON.stringify({ aboutFor: 'chats' }))
  await phone.messenger.erase()
  expect(phone.readText('userSettings')).toBeNull()
})
