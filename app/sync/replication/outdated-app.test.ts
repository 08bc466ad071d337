import { expect, test } from 'vitest'
import { wireVersion } from '../../../schema/api/wire.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'

async function start() {
  const opened = await openTestLab()
  const { lab, ann, ben } = opened
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await phone.say(ben, 'before')
  await lab.settle()
  const read = async () => (await tablet.read(ann)).map(({ content }) => content)
  const stateIs = (state: string) =>
    expect.poll(() => phone.messenger.connection.getSnapshot().state).toBe(state)
  return { ...opened, phone, tablet, read, stateIs }
}

test('P1 P6: what an app writes that is too old waits for its update, and arrives once', async () => {
  const { lab, ben, phone, read, stateIs } = await start()
  phone.network.tellWire(wireVersion - 1)
  const id = await phone.say(ben, 'too early')
  await phone.messenger.requests.add({ kind: 'profile', change: { status: 'at sea' } })
  await stateIs('outdated')
  const [sent] = (await phone.read(ben)).filter(({ _id }) => _id === id)
  expect(sent).toMatchObject({ content: 'too early', status: 'sending' })
  await expect.poll(() => phone.messenger.connection.getSnapshot().pendingCount).toBe(1)
  const entries = () => phone.messenger.requests.entries.getSnapshot()
  await expect.poll(entries).toMatchObject([{ state: 'waiting' }])
  expect(await read()).toEqual(['before'])

  await phone.reload()
  await stateIs('outdated')
  expect((await phone.read(ben)).map(({ content }) => content)).toEqual(['before', 'too early'])

  phone.network.tellWire(undefined)
  await phone.reload()
  await lab.settle()
  expect(await read()).toEqual(['before', 'too early'])
  expect((await phone.read(ben)).map(({ status }) => status)).not.toContain('sending')
  await expect.poll(entries).toEqual([])
  await stateIs('live')
  await lab.expectConverged()
})

test('P13: an app from before sealed messages gets none of them, loses nothing, and reads all later', async () => {
  const { lab, ann, ben } = await openTestLab({}, { hasKeys: true })
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await phone.say(ben, 'before')
  await lab.settle()
  phone.network.tellWire(1)
  const state = () => phone.messenger.connection.getSnapshot().state
  const own = await phone.say(ben, 'from an old app')
  await expect.poll(state).toBe('outdated')
  await tablet.say(ann, 'the albatross lands')
  await phone.reload()
  await expect.poll(state).toBe('outdated')
  const shown = await phone.read(ben)
  expect(shown.map(({ content }) => content)).toEqual(['before', 'from an old app'])
  expect((await ann.server.messages()).has(own)).toBe(false)
  phone.network.tellWire(undefined)
  await phone.reload()
  await lab.settle()
  const words = (await phone.read(ben)).map(({ content }) => content)
  expect(words.toSorted()).toEqual(['before', 'from an old app', 'the albatross lands'])
  expect((await ann.server.messages()).get(own)).toMatchObject({ content: '' })
  await lab.expectConverged()
})

test('a draft stays while the app is too old, and so does the sign-in', async () => {
  const { ben, phone, stateIs } = await start()
  phone.network.tellWire(wireVersion - 1)
  phone.messenger.drafts.set(ben.userId, 'half a wor')
  await stateIs('outdated')
  await phone.reload()
  const draft = () => phone.messenger.drafts.get(ben.userId).getSnapshot()
  await expect.poll(draft).toBe('half a wor')
  await stateIs('outdated')
})

test('P6: a newer app waits for a server that was rolled back, and nothing is refused', async () => {
  const { lab, ben, phone, read, stateIs } = await start()
  phone.network.tellWire(wireVersion + 1)
  const id = await phone.say(ben, 'from the future')
  await stateIs('trouble')
  const { messages } = await phone.stored()
  expect(messages.get(id)).toMatchObject({ content: 'from the future', status: 'sending' })
  expect(await read()).toEqual(['before'])

  phone.network.tellWire(undefined)
  phone.network.hurry()
  await lab.settle()
  expect(await read()).toEqual(['before', 'from the future'])
  await lab.expectConverged()
})

test("P6: an intermediary's 426 is a refusal of its own, and asks for no update", async () => {
  const { lab, ben, phone, read, stateIs } = await start()
  phone.network.answer(426)
  await phone.say(ben, 'past the portal')
  await stateIs('trouble')
  phone.network.calm()
  await lab.settle()
  expect(await read()).toEqual(['before', 'past the portal'])
})

test('a tab that does not sync hears it on its own line', async () => {
  const { phone, stateIs } = await start()
  const tab = await phone.openTab()
  phone.network.tellWire(wireVersion - 1)
  await stateIs('outdated')
  const stateOf = () => tab.messenger.connection.getSnapshot().state
  await expect.poll(stateOf, { timeout: 60_000 }).toBe('outdated')
})
