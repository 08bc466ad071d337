import { expect, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { createApi } from '../../api/api.ts'
import { createSessionStore } from '../../api/session-store.ts'
import { testSession } from '../../api/testing/open-test-answers.ts'
import { createKeyValueStorage } from '../../database/storage/key-value-storage.ts'
import { waitUntil } from '../../lab/browser/wait-until.ts'
import type { LabDevice } from '../../lab/device/lab-device-types.ts'
import { untilLive } from '../../lab/device/read-conversation.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'

const nobody = '01900000-0000-7000-8000-00000000ffff'

/** Ann with a phone, Ben with a tablet, and Ann's fault-free view of the server. */
async function start() {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  const sessions = createSessionStore({
    kept: createKeyValueStorage(),
    passing: createKeyValueStorage(),
  })
  sessions.set({ ...testSession, token: ann.token }, { keepSignedIn: true })
  const server = createApi({ serverUrl: lab.server.url, fetch, sessions })
  await lab.settle()
  return { lab, ann, ben, phone, tablet, server }
}

const entriesOf = (device: LabDevice) => device.messenger.requests.entries.getSnapshot()
const readTexts = async (device: LabDevice, userId: string) =>
  (await device.read({ userId })).map(({ content }) => content)

test('P1: what is asked without a network outlives a reload, and is done when there is one', async () => {
  const { lab, ben, phone, server } = await start()
  phone.network.goOffline()
  const { requests } = phone.messenger
  await requests.add({ kind: 'profile', change: { status: 'at sea' } })
  await requests.add({ kind: 'settings', settings: { theme: 'dark' } })
  await requests.add({ kind: 'report', userId: ben.userId, reason: 'sends too much' })
  await phone.reload()
  await waitUntil('they are still there', () => entriesOf(phone).length === 3)
  expect(await phone.messenger.countUnsent()).toBe(3)
  phone.network.goOnline()
  await lab.settle()

  await expect.poll(() => entriesOf(phone)).toEqual([])
  const exported = await server.own.exportAccount()
  expect(exported.user).toMatchObject({ status: 'at sea', settings: { theme: 'dark' } })
  expect(exported.reports).toMatchObject([{ reason: 'sends too much' }])
})

test('P2: an answer that is lost after the server has acted brings nothing twice', async () => {
  const { lab, ann, ben, phone, tablet, server } = await start()
  const messageId = await phone.say(ben, 'pass it on')
  await lab.settle()
  phone.network.loseResponses(2)
  const { requests } = phone.messenger
  await requests.add({ kind: 'forward', messageId, recipientIds: [ben.userId] })
  await requests.add({ kind: 'report', userId: ben.userId, reason: 'sends too much' })
  await lab.settle()
  expect(await readTexts(tablet, ann.userId)).toEqual(['pass it on', 'pass it on'])
  expect((await server.own.exportAccount()).reports).toHaveLength(1)
})

test('P1 P2: a reload in the middle of ten forwards loses none and doubles none', async () => {
  const { lab, ann, ben, phone, tablet } = await start()
  const messageId = await phone.say(ben, 'pass it on')
  await lab.settle()
  phone.network.delay(40)
  for (let i = 0; i < 10; i += 1) {
    await phone.messenger.requests.add({ kind: 'forward', messageId, recipientIds: [ben.userId] })
  }
  await waitUntil('some have gone', () => entriesOf(phone).length < 9)
  await phone.reload()
  await lab.settle()
  expect(await readTexts(tablet, ann.userId)).toEqual(Array(11).fill('pass it on'))
})

test('P1: while the server answers 503 a request waits and says why, then it goes', async () => {
  const { lab, phone, server } = await start()
  phone.network.answer(503)
  await phone.messenger.requests.add({ kind: 'profile', change: { status: 'at sea' } })
  await waitUntil('it says why', () => entriesOf(phone)[0]?.problem !== undefined)
  expect(entriesOf(phone)).toMatchObject([{ state: 'waiting' }])
  phone.network.calm()
  await lab.settle()
  expect((await server.own.me()).status).toBe('at sea')
})

test('P1: a sign-in that has ended pauses the queue, and the next one goes on with it', async () => {
  const { lab, ann, phone, server } = await start()
  await phone.endSignIn()
  await phone.messenger.requests.add({ kind: 'profile', change: { status: 'at sea' } })
  const { connection } = phone.messenger
  await waitUntil('it is told', () => connection.getSnapshot().state === 'signed-out')
  expect(entriesOf(phone)).toMatchObject([{ state: 'waiting' }])
  await phone.signIn()
  await lab.settle()
  expect(ann.devices).toContain(phone)
  expect((await server.own.me()).status).toBe('at sea')
})

test('P6: a refusal says why and waits for its person, and holds nothing else up', async () => {
  const { lab, ben, phone, server } = await start()
  const { requests } = phone.messenger
  await requests.add({ kind: 'profile', change: { username: 'ben' } })
  await requests.add({ kind: 'report', userId: nobody, reason: 'is nobody' })
  await requests.add({ kind: 'block', userId: ben.userId, blocked: true })
  await waitUntil(
    'two are refused',
    () =>
      entriesOf(phone)
        .map(({ state }) => state)
        .join() === 'refused,refused',
  )
  await lab.settle()
  expect(entriesOf(phone)).toMatchObject([
    { problem: { code: 'username_taken', words: 'Username already taken' } },
    { problem: { code: 'user_not_found', words: 'User not found' } },
  ])
  expect(await server.users.listBlocked()).toHaveLength(1)

  await requests.add({ kind: 'profile', change: { status: 'at sea' } })
  await lab.settle()
  expect((await server.own.me()).status).toBe('at sea')
  expect(entriesOf(phone)).toHaveLength(2)
})

test('P6: a refused request can be retried, replaced and dropped', async () => {
  const { lab, phone, server } = await start()
  const { requests } = phone.messenger
  const reportId = await requests.add({ kind: 'report', userId: nobody, reason: 'is nobody' })
  await requests.add({ kind: 'profile', change: { username: 'ben' } })
  const areRefused = () => entriesOf(phone).filter(({ state }) => state === 'refused').length === 2
  await waitUntil('both are refused', areRefused)
  phone.network.goOffline()
  await requests.retry(reportId)
  await waitUntil('it waits', () => entriesOf(phone)[0]?.state === 'waiting')
  phone.network.goOnline()
  await waitUntil('it is refused again', areRefused)
  await requests.discard(reportId)
  await requests.add({ kind: 'profile', change: { username: 'Anna' } })
  await waitUntil('nothing is left', () => entriesOf(phone).length === 0)
  await lab.settle()
  expect((await server.own.me()).username).toBe('Anna')
})

test('a picture that waits stays the same bytes, whatever happens to its attempts', async () => {
  const { lab, phone } = await start()
  phone.network.goOffline()
  const picture = new Blob(['a picture'], { type: 'image/jpeg' })
  await phone.messenger.requests.add({ kind: 'picture', picture })
  const shown = must(entriesOf(phone)[0], 'the entry')
  await waitUntil('it was tried', () => entriesOf(phone)[0]?.problem !== undefined)
  expect(entriesOf(phone)[0]?.request).toBe(shown.request)
  await phone.messenger.requests.discard(shown._id)
  phone.network.goOnline()
  await lab.settle()
})

test('P2: a block and its opposite, asked without a network, are one: the later', async () => {
  const { lab, ben, phone, server } = await start()
  phone.network.goOffline()
  const { requests } = phone.messenger
  await requests.add({ kind: 'block', userId: ben.userId, blocked: true })
  await requests.add({ kind: 'block', userId: ben.userId, blocked: false })
  expect(entriesOf(phone)).toMatchObject([{ request: { blocked: false } }])
  phone.network.goOnline()
  await lab.settle()
  expect(await server.users.listBlocked()).toEqual([])
})

test('a form hears whether its request is done, kept for later, or refused', async () => {
  const { lab, phone, server } = await start()
  const { requests } = phone.messenger
  expect(await requests.submit({ kind: 'profile', change: { status: 'ashore' } })).toBe('done')
  const taken = requests.submit({ kind: 'profile', change: { username: 'ben' } })
  await expect(taken).rejects.toThrow('Username already taken')
  phone.network.goOffline()
  expect(await requests.submit({ kind: 'profile', change: { status: 'at sea' } })).toBe('kept')
  phone.network.goOnline()
  await lab.settle()
  expect((await server.own.me()).status).toBe('at sea')
  await expect.poll(() => entriesOf(phone)).toEqual([])
})

test('while messages flow a form hears it too, whatever the browser says of the network', async () => {
  const { lab, ann, ben, phone, tablet } = await start()
  const { page, messenger } = must(phone.tabs[0], 'the first tab')
  page.setOnline(false)
  await tablet.say(ann, 'it flows')
  await waitUntil('it is here', async () => (await readTexts(phone, ben.userId)).length === 1)
  await untilLive(messenger.connection, ({ state }) => state === 'live')
  const { requests } = messenger
  const taken = requests.submit({ kind: 'profile', change: { username: 'ben' } })
  await expect(taken).rejects.toThrow('Username already taken')
  expect(await requests.submit({ kind: 'profile', change: { status: 'ashore' } })).toBe('done')
  page.setOnline(true)
  await lab.settle()
})

test('of two tabs one sends, and both see it', async () => {
  const { lab, phone, server } = await start()
  const second = await phone.openTab()
  phone.network.goOffline()
  await phone.messenger.requests.add({ kind: 'profile', change: { status: 'at sea' } })
  const { entries } = second.messenger.requests
  await waitUntil('the other tab sees it', () => entries.getSnapshot().length === 1)
  phone.network.goOnline()
  await lab.settle()
  await waitUntil('both see it go', () => entries.getSnapshot().length === 0)
  expect((await server.own.me()).status).toBe('at sea')
})
