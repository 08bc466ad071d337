import { expect, test } from 'vitest'
import { untilLive } from '../lab/device/read-conversation.ts'
import { openTestLab } from '../lab/open-test-lab.ts'

test('P1: what is written offline, around a reload, leaves by itself, once and in order', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  phone.network.goOffline()
  for (const text of ['one', 'two', 'three']) await phone.say(ben, text)
  await phone.reload()
  for (const text of ['four', 'five']) await phone.say(ben, text)
  expect(phone.messenger.connection.getSnapshot().state).toBe('offline')
  expect(await phone.messenger.countUnsent()).toBeGreaterThanOrEqual(5)
  phone.network.goOnline()
  await lab.settle()
  await lab.expectConverged()
  const texts = (await tablet.read(ann)).map(({ content }) => content)
  expect(texts).toEqual(['one', 'two', 'three', 'four', 'five'])
})

test('P10: without any server, a reload shows everything that the device has', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await phone.say(ben, 'hello')
  await lab.settle()
  // The message may come before the list of people.
  const name = () => tablet.messenger.users.get(ann.userId).getSnapshot()?.username
  await expect.poll(name).toBe('ann')
  await lab.server.kill()
  await tablet.reload()
  expect((await tablet.read(ann)).map(({ content }) => content)).toEqual(['hello'])
  const [row] = tablet.messenger.conversations.getSnapshot()
  expect(row).toMatchObject({
    peerId: ann.userId,
    unreadCount: 1,
    lastMessage: { content: 'hello' },
  })
  expect(name()).toBe('ann')
})

test('P1: a sign-in that has ended stops nothing but the sending; after the next one it leaves', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await phone.endSignIn()
  await untilLive(phone.messenger.connection, ({ state }) => state === 'signed-out')
  await phone.say(ben, 'still here')
  expect((await phone.read(ben)).map(({ status }) => status)).toEqual(['sending'])
  await phone.signIn()
  await lab.settle()
  await lab.expectConverged()
  expect((await tablet.read(ann)).map(({ content }) => content)).toEqual(['still here'])
})

test('P1: messages that wait while the token runs out leave after the next sign-in', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  phone.network.goOffline()
  const headers = { authorization: `Bearer ${phone.shortenSignIn(2_000)}` }
  for (const text of ['one', 'two']) await phone.say(ben, text)
  const askWho = () => fetch(`${lab.server.url}/api/users/me`, { headers })
  await expect.poll(async () => (await askWho()).status).toBe(401)
  phone.network.goOnline()
  await untilLive(phone.messenger.connection, ({ state }) => state === 'signed-out')
  await phone.say(ben, 'three')
  expect((await phone.read(ben)).map(({ status }) => status)).toEqual(Array(3).fill('sending'))
  await phone.signIn()
  await lab.settle()
  await lab.expectConverged()
  expect((await tablet.read(ann)).map(({ content }) => content)).toEqual(['one', 'two', 'three'])
})

test('P1: a token that runs out while the device is connected stops nothing but the sending', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  phone.shortenSignIn(2_000)
  await phone.reload()
  await untilLive(phone.messenger.connection, ({ state }) => state === 'signed-out')
  await phone.say(ben, 'too late')
  expect((await phone.read(ben)).map(({ status }) => status)).toEqual(['sending'])
  await phone.signIn()
  await lab.settle()
  await lab.expectConverged()
  expect((await tablet.read(ann)).map(({ content }) => content)).toEqual(['too late'])
})

test('signing out says how much is unsent, and leaves nothing on the device', async () => {
  const { lab, ann, ben } = await openTestLab()
  const phone = await ann.device()
  await phone.say(ben, 'sent')
  await lab.settle()
  phone.network.goOffline()
  const id = await phone.say(ben, 'unsent')
  await phone.messenger.commands.setStarred(id, true)
  phone.messenger.drafts.set(ben.userId, 'half a thought')
  expect(await phone.messenger.countUnsent()).toBeGreaterThanOrEqual(1)
  await phone.messenger.erase()
  expect(await phone.countStoredRecords()).toBe(0)
})

test('P1: more than one request can carry leaves in several: long messages from a journey', async () => {
  const { ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  phone.network.goOffline()
  // Three bytes a character: together more than the server's 8 MB limit per request.
  const long = '長'.repeat(65_000)
  for (let count = 0; count < 45; count += 1) await phone.say(ben, `${count} ${long}`)
  phone.network.goOnline()
  await untilLive(tablet.messenger.conversations, ([row]) => row?.unreadCount === 45, 60_000)
  const numbers = (await tablet.read(ann)).map(({ content }) => Number.parseInt(content, 10))
  expect(numbers).toEqual(Array.from({ length: 45 }, (_, count) => count))
})
