import { expect, onTestFinished, test } from 'vitest'
import { lineOf } from '../../../schema/api/groups.ts'
import { must } from '../../../schema/helpers/assertions.ts'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import type { LabDevice } from '../../lab/device/lab-device-types.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'

const hasGroups = { settings: { GROUPS: 'on' } }

async function start() {
  const { lab, ann, ben } = await openTestLab(hasGroups)
  const cyd = await lab.person('cyd')
  const devices = [await ann.device(), await ben.device(), await cyd.device()] as const
  await lab.settle()
  return { lab, ann, ben, cyd, devices }
}

const readTexts = async (device: LabDevice, groupId: string) =>
  (await device.read({ userId: groupId })).map(
    (message) => lineOf(message)?.change.kind ?? message.content,
  )

const say = (device: LabDevice, groupId: string, content: string) =>
  device.messenger.commands.sendMessage({ peerId: groupId, content })

const groupOn = (device: LabDevice, groupId: string) =>
  must(device.messenger.groups.get(groupId).getSnapshot(), 'a group')

test('P1 P14: a group that is made and written in without a network reaches all its members', async () => {
  const { ben, cyd, devices } = await start()
  const [phone, tablet, laptop] = devices
  phone.network.goOffline()
  const groupId = await phone.messenger.groups.create({
    name: 'Walks',
    memberIds: [ben.userId, cyd.userId],
  })
  await say(phone, groupId, 'who comes on Sunday?')
  await expect
    .poll(() => phone.messenger.conversations.getSnapshot()[0])
    .toMatchObject({ peerId: groupId, peer: { isGroup: true, name: 'Walks' } })
  await phone.reload()
  expect(await readTexts(phone, groupId)).toEqual(['who comes on Sunday?'])
  phone.network.goOnline()
  await expect.poll(() => readTexts(tablet, groupId)).toEqual(['create', 'who comes on Sunday?'])
  await say(tablet, groupId, 'I do')
  for (const device of devices) {
    await expect
      .poll(() => readTexts(device, groupId))
      .toEqual(['create', 'who comes on Sunday?', 'I do'])
  }
  expect(groupOn(laptop, groupId).members.map(({ role }) => role)).toEqual([
    'owner',
    'member',
    'member',
  ])
  await expect
    .poll(() => laptop.messenger.conversations.getSnapshot()[0])
    .toMatchObject({ peerId: groupId, peer: { name: 'Walks' }, unreadCount: 2 })
})

test('P14: what is written in a group stays here until the server has made it', async () => {
  const { ben, devices } = await start()
  const [phone, tablet] = devices
  const untilSent = async (content: string) => {
    const id = await phone.say(ben, content)
    await expect.poll(async () => (await phone.stored()).messages.get(id)?.status).toBe('sent')
  }
  // From here on nothing else, such as its keys, has to be known before words leave.
  await untilSent('hello')
  const making = createDeferred()
  onTestFinished(() => making.resolve())
  const when = ({ method, path }: { method: string; path: string }) =>
    method === 'POST' && path === '/api/groups'
  const held = phone.network.add({ do: 'hold', side: 'there', until: making.promise, when })
  const groupId = await phone.messenger.groups.create({ name: 'Walks', memberIds: [ben.userId] })
  await say(phone, groupId, 'who comes?')
  await untilSent('look at the group')
  expect(held.count()).toBe(1)
  const pushes = phone.network.listRequests().filter((one) => one.includes(`/${groupId}/`))
  expect(pushes).toEqual([])
  making.resolve()
  await expect.poll(() => readTexts(tablet, groupId)).toEqual(['create', 'who comes?'])
})

test('P7: what was written in a group while the line was down is there as soon as it is up', async () => {
  const { lab, ben, devices } = await start()
  const [phone, tablet] = devices
  const groupId = await phone.messenger.groups.create({ name: 'Walks', memberIds: [ben.userId] })
  await expect.poll(() => readTexts(tablet, groupId)).toEqual(['create'])
  await lab.settle()
  // It comes back a moment later, and nothing says that there is something in a group.
  tablet.network.cutSockets()
  await say(phone, groupId, 'who comes?')
  await expect.poll(() => readTexts(tablet, groupId)).toEqual(['create', 'who comes?'])
})

test('P14: who is removed keeps what was there, gets nothing more, and keeps what they could not send', async () => {
  const { ben, cyd, devices } = await start()
  const [phone, tablet, laptop] = devices
  const groupId = await phone.messenger.groups.create({
    name: 'Walks',
    memberIds: [ben.userId, cyd.userId],
  })
  await say(phone, groupId, 'one')
  await expect.poll(() => readTexts(tablet, groupId)).toEqual(['create', 'one'])
  tablet.network.goOffline()
  const late = await say(tablet, groupId, 'two')
  await phone.messenger.groups.change(groupId, { kind: 'remove', userId: ben.userId })
  expect(groupOn(phone, groupId).members.map(({ userId }) => userId)).not.toContain(ben.userId)
  await expect.poll(() => readTexts(laptop, groupId)).toEqual(['create', 'one', 'remove'])
  await say(phone, groupId, 'three')
  tablet.network.goOnline()
  await expect.poll(() => groupOn(tablet, groupId).hasLeft).toBe(true)
  await expect
    .poll(async () => (await tablet.read({ userId: groupId })).find(({ _id }) => _id === late))
    .toMatchObject({ status: 'failed', content: 'two', errorCode: 'group_left' })
  await expect.poll(() => readTexts(laptop, groupId)).toEqual(['create', 'one', 'remove', 'three'])
  expect((await readTexts(tablet, groupId)).toSorted()).toEqual(['create', 'one', 'remove', 'two'])
})

test('P6: a change of a group that the server refuses is told in its words, and shows no more', async () => {
  const { ben, cyd, devices } = await start()
  const [phone, tablet] = devices
  const groupId = await phone.messenger.groups.create({
    name: 'Walks',
    memberIds: [ben.userId, cyd.userId],
  })
  await expect.poll(() => readTexts(tablet, groupId)).toEqual(['create'])
  await tablet.messenger.groups.change(groupId, { kind: 'remove', userId: cyd.userId })
  await expect
    .poll(() => tablet.messenger.requests.entries.getSnapshot())
    .toMatchObject([
      { state: 'refused', problem: { words: 'Only admins of this group can do that.' } },
    ])
  expect(groupOn(tablet, groupId).members).toHaveLength(3)
})

test('P5 P6: an edit that a group refuses comes back with its words and the reason, and all see the same', async () => {
  const { lab, ben, devices } = await start()
  const [phone, tablet] = devices
  const groupId = await phone.messenger.groups.create({ name: 'Walks', memberIds: [ben.userId] })
  await expect.poll(() => readTexts(tablet, groupId)).toEqual(['create'])
  const id = await say(tablet, groupId, 'at ten')
  await expect.poll(() => readTexts(phone, groupId)).toEqual(['create', 'at ten'])
  tablet.network.goOffline()
  await tablet.messenger.commands.editMessage(id, 'at noon')
  await phone.messenger.groups.change(groupId, { kind: 'remove', userId: ben.userId })
  await expect.poll(() => readTexts(phone, groupId)).toEqual(['create', 'at ten', 'remove'])
  tablet.network.goOnline()
  await expect
    .poll(async () => (await tablet.read({ userId: groupId })).find(({ _id }) => _id === id))
    .toMatchObject({ content: 'at ten', refused: { content: 'at noon', code: 'group_left' } })
  await lab.settle()
  expect(await tablet.messenger.countUnsent()).toBe(0)
})

test('P6: a group that the server does not make keeps its words, and is over once that is let go', async () => {
  const { ben, devices } = await start()
  const [phone] = devices
  const groupId = await phone.messenger.groups.create({
    name: 'Walks',
    memberIds: [ben.userId, '01900000-0000-7000-8000-00000000ffff'],
  })
  await say(phone, groupId, 'who comes?')
  const { requests } = phone.messenger
  await expect.poll(() => requests.entries.getSnapshot()[0]?.problem?.code).toBe('cannot_add')
  expect(groupOn(phone, groupId).hasLeft).toBeUndefined()
  await requests.discard(must(requests.entries.getSnapshot()[0], 'a request')._id)
  await expect.poll(() => groupOn(phone, groupId).hasLeft).toBe(true)
  await expect
    .poll(async () => (await phone.read({ userId: groupId })).map(({ content }) => content))
    .toEqual(['who comes?'])
})

test('P7: what is written and changed in a group comes over the line, and who only reads asks for nothing', async () => {
  const { lab, ben, cyd, devices } = await start()
  const [phone, tablet, laptop] = devices
  const groupId = await phone.messenger.groups.create({
    name: 'Walks',
    memberIds: [ben.userId, cyd.userId],
  })
  await say(phone, groupId, 'one')
  for (const device of devices) {
    await expect.poll(() => readTexts(device, groupId)).toEqual(['create', 'one'])
  }
  await lab.settle()
  const countAsked = () =>
    tablet.network.listRequests().filter((one) => one === 'POST /sync/groups/_changes').length
  const before = countAsked()
  const id = await say(phone, groupId, 'two')
  await expect.poll(() => readTexts(laptop, groupId)).toEqual(['create', 'one', 'two'])
  await phone.messenger.commands.editMessage(id, 'two, edited')
  await expect.poll(() => readTexts(laptop, groupId)).toEqual(['create', 'one', 'two, edited'])
  await laptop.messenger.commands.setReaction(id, '👍')
  await phone.messenger.groups.change(groupId, { kind: 'rename', name: 'Long walks' })
  for (const device of devices) {
    await expect.poll(() => groupOn(device, groupId).name).toBe('Long walks')
    await expect
      .poll(() => readTexts(device, groupId))
      .toEqual(['create', 'one', 'two, edited', 'rename'])
    await expect
      .poll(async () => (await device.stored()).messages.get(id)?.reactions?.[cyd.userId]?.emoji)
      .toBe('👍')
  }
  await lab.settle()
  expect(countAsked()).toBe(before)
  expect(groupOn(tablet, groupId).members).toHaveLength(3)
})
