import { expect, test } from 'vitest'
import type { MessageDocument } from '../../../schema/message.ts'
import type { LabDevice } from '../../lab/device/lab-device-types.ts'
import { untilLive } from '../../lab/device/read-conversation.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'

/** Ann and Ben, each with a device, in a group that Ann made. */
async function start({ hasKeys = true } = {}) {
  const opened = await openTestLab({ settings: { GROUPS: 'on' } }, { hasKeys })
  const { lab, ann, ben } = opened
  const phone = await ann.device()
  const tablet = await ben.device()
  await lab.settle()
  const groupId = await phone.messenger.groups.create({ name: 'Walks', memberIds: [ben.userId] })
  const know = (device: LabDevice, userId: string) =>
    untilLive(device.messenger.users.get(userId), (person) => person !== undefined)
  await Promise.all([know(phone, ben.userId), know(tablet, ann.userId)])
  return { ...opened, phone, tablet, groupId }
}

const say = (device: LabDevice, groupId: string, content: string, rest = {}) =>
  device.messenger.commands.sendMessage({ peerId: groupId, content, ...rest })

const rowOf = (device: LabDevice, groupId: string) =>
  device.messenger.conversations.getSnapshot().find(({ peerId }) => peerId === groupId)

const mentionsIn = (device: LabDevice, groupId: string) =>
  rowOf(device, groupId)?.mentions?.map(({ content }) => content)

async function readServer(person: { token: string }, url: string, groupId: string) {
  const response = await fetch(`${url}/sync/groups/${groupId}/_all_docs?include_docs=true`, {
    headers: { authorization: `Bearer ${person.token}` },
  })
  const { rows } = (await response.json()) as { rows: { doc: MessageDocument }[] }
  return rows.map(({ doc }) => doc)
}

test('P13: a mention is sealed with the words, and ids alone say who is notified', async () => {
  const { lab, ann, ben, phone, tablet, groupId } = await start()
  const id = await say(phone, groupId, 'who comes? @ben!')
  await expect.poll(() => mentionsIn(tablet, groupId)).toEqual(['who comes? @ben!'])
  await lab.settle()
  const stored = (await readServer(ann, lab.server.url, groupId)).find(({ _id }) => _id === id)
  expect(stored).toMatchObject({ content: '', mentionedIds: [ben.userId] })
  expect(stored).not.toHaveProperty('mentions')
  const read = (await tablet.read({ userId: groupId })).find(({ _id }) => _id === id)
  expect(read?.mentions).toEqual([{ userId: ben.userId, name: 'ben' }])
})

test('P1: written without a network it arrives as a mention, and is over once it is read', async () => {
  const { lab, phone, tablet, groupId } = await start()
  await say(phone, groupId, 'first')
  await untilLive(tablet.messenger.conversations, () => rowOf(tablet, groupId)?.unreadCount === 1)
  expect(mentionsIn(tablet, groupId)).toBeUndefined()
  await tablet.messenger.commands.setMuted(groupId, true)
  phone.network.goOffline()
  await say(phone, groupId, 'come, @ben')
  await say(phone, groupId, 'or not')
  await phone.reload()
  phone.network.goOnline()
  await untilLive(tablet.messenger.conversations, () => rowOf(tablet, groupId)?.unreadCount === 3)
  expect(mentionsIn(tablet, groupId)).toEqual(['come, @ben'])
  expect(mentionsIn(phone, groupId)).toBeUndefined()
  await tablet.reload()
  await expect.poll(() => mentionsIn(tablet, groupId)).toEqual(['come, @ben'])
  await tablet.messenger.commands.markRead(groupId)
  await untilLive(tablet.messenger.conversations, () => rowOf(tablet, groupId)?.unreadCount === 0)
  expect(mentionsIn(tablet, groupId)).toBeUndefined()
  await lab.settle()
  await lab.expectConverged()
})

test('P5: an edit mentions others or nobody, and a deletion nobody', async () => {
  const { lab, phone, tablet, groupId } = await start({ hasKeys: false })
  const id = await say(phone, groupId, 'come')
  await untilLive(tablet.messenger.conversations, () => rowOf(tablet, groupId)?.unreadCount === 1)
  const own = async () => (await phone.stored()).messages.get(id)
  await expect.poll(async () => (await own())?.status).not.toBe('sending')
  await phone.edit(id, 'come, @ben')
  // Who is notified was said with the message.
  expect((await own())?.mentionedIds).toBeUndefined()
  await expect.poll(() => mentionsIn(tablet, groupId)).toEqual(['come, @ben'])
  await phone.edit(id, 'come, everybody')
  await expect.poll(() => mentionsIn(tablet, groupId)).toBeUndefined()
  await phone.edit(id, '@ben, come')
  await expect.poll(() => mentionsIn(tablet, groupId)).toEqual(['@ben, come'])
  await phone.delete(id)
  await expect.poll(() => mentionsIn(tablet, groupId)).toBeUndefined()
  await lab.settle()
  await lab.expectConverged()
})

test('a renamed member stays mentioned as it was written, also by an edit', async () => {
  const { lab, ben, phone, tablet, groupId } = await start()
  const id = await say(phone, groupId, 'come, @ben')
  await expect.poll(() => mentionsIn(tablet, groupId)).toEqual(['come, @ben'])
  const renamed = await fetch(`${lab.server.url}/api/users/profile`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${ben.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'Benjamin' }),
  })
  expect(renamed.status).toBe(200)
  await phone.messenger.users.load(ben.userId)
  await phone.edit(id, 'please come, @ben')
  await expect.poll(() => mentionsIn(tablet, groupId)).toEqual(['please come, @ben'])
  await say(phone, groupId, 'now @Benjamin, not @ben')
  await expect
    .poll(() => mentionsIn(tablet, groupId))
    .toEqual(['please come, @ben', 'now @Benjamin, not @ben'])
  const all = await tablet.read({ userId: groupId })
  expect(all.at(-1)?.mentions).toEqual([{ userId: ben.userId, name: 'Benjamin' }])
})

test('what is sent on, and what is written to one person, mentions nobody', async () => {
  const { ann, ben, phone, tablet, groupId } = await start()
  await say(phone, groupId, 'come, @ben', { isForward: true })
  await say(phone, ben.userId, 'come, @ben')
  await untilLive(
    tablet.messenger.conversations,
    () => rowOf(tablet, groupId)?.unreadCount === 1 && rowOf(tablet, ann.userId)?.unreadCount === 1,
  )
  expect(mentionsIn(tablet, groupId)).toBeUndefined()
  const both = [...(await tablet.read({ userId: groupId })), ...(await tablet.read(ann))]
  expect(both.some(({ mentions, mentionedIds }) => mentions ?? mentionedIds)).toBe(false)
})

test('P6: who is removed before it arrives stays in the words, and the server tells them nothing', async () => {
  const { lab, ann, ben, phone, tablet, groupId } = await start({ hasKeys: false })
  await say(phone, groupId, 'first')
  const desk = await ann.device()
  await expect.poll(() => desk.messenger.groups.get(groupId).getSnapshot()).toBeDefined()
  phone.network.goOffline()
  const id = await say(phone, groupId, 'come, @ben')
  await desk.messenger.groups.change(groupId, { kind: 'remove', userId: ben.userId })
  // The server has done it: on the device that asked it shows before.
  await expect.poll(() => tablet.messenger.groups.get(groupId).getSnapshot()?.hasLeft).toBe(true)
  phone.network.goOnline()
  await lab.settle()
  const stored = (await readServer(ann, lab.server.url, groupId)).find(({ _id }) => _id === id)
  expect(stored?.status).toBe('sent')
  expect(stored).not.toHaveProperty('mentionedIds')
  const [here] = (await phone.read({ userId: groupId })).filter(({ _id }) => _id === id)
  expect(here).toMatchObject({ status: 'sent', mentions: [{ userId: ben.userId, name: 'ben' }] })
  expect(here).not.toHaveProperty('mentionedIds')
  await lab.expectConverged()
})
