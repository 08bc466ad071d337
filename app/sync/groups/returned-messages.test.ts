import { expect, test } from 'vitest'
import { lineOf } from '../../../schema/api/groups.ts'
import { must } from '../../../schema/helpers/assertions.ts'
import type { LabDevice } from '../../lab/device/lab-device-types.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'

/** Ann has a group with Ben, who has written in it. */
async function start() {
  const { lab, ann, ben } = await openTestLab({ settings: { GROUPS: 'on' } })
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await lab.settle()
  const groupId = await phone.messenger.groups.create({ name: 'Walks', memberIds: [ben.userId] })
  await say(phone, groupId, 'one')
  await untilRead(tablet, groupId, ['create', 'one'])
  return { lab, ann, ben, phone, tablet, groupId }
}

const say = (device: LabDevice, peerId: string, content: string) =>
  device.messenger.commands.sendMessage({ peerId, content })

/** What stands in the conversation, from top to bottom. */
const readTexts = async (device: LabDevice, userId: string) =>
  (await device.read({ userId })).map((message) => lineOf(message)?.change.kind ?? message.content)

const untilRead = (device: LabDevice, groupId: string, texts: string[]) =>
  expect.poll(() => readTexts(device, groupId)).toEqual(texts)

async function findStored(device: LabDevice, id: string) {
  return must((await device.stored()).messages.get(id), 'a message')
}

const untilFailed = (device: LabDevice, id: string, errorCode: string) =>
  expect.poll(() => findStored(device, id)).toMatchObject({ status: 'failed', errorCode })

test('P6 P14: what a group refused stands where it was written, and once it is sent again where the group has it, once', async () => {
  const { lab, phone, tablet, groupId } = await start()
  const { change } = phone.messenger.groups
  tablet.network.goOffline()
  const ids = [await say(tablet, groupId, 'two'), await say(tablet, groupId, 'three')] as const
  await change(groupId, { kind: 'settings', settings: { whoWrites: 'admins' } })
  await say(phone, groupId, 'from an admin')
  await lab.settle()
  tablet.network.goOnline()
  for (const id of ids) await untilFailed(tablet, id, 'admins_only')
  const returned = ['create', 'one', 'two', 'three', 'settings', 'from an admin']
  await untilRead(tablet, groupId, returned)
  await tablet.reload()
  expect(await readTexts(tablet, groupId)).toEqual(returned)
  await untilRead(phone, groupId, ['create', 'one', 'settings', 'from an admin'])

  await change(groupId, { kind: 'settings', settings: { whoWrites: 'all' } })
  const isOpen = () => tablet.messenger.groups.get(groupId).getSnapshot()?.settings.whoWrites
  await expect.poll(isOpen).toBe('all')
  await tablet.messenger.commands.retryMessage(ids[0])
  await expect.poll(() => findStored(tablet, ids[0])).toMatchObject({ status: 'sent' })
  await tablet.messenger.commands.editMessage(ids[1], 'three, put better')
  const sent = [
    'create',
    'one',
    'settings',
    'from an admin',
    'settings',
    'two',
    'three, put better',
  ]
  for (const device of [phone, tablet]) await untilRead(device, groupId, sent)
  await lab.settle()
  await tablet.reload()
  for (const device of [phone, tablet]) expect(await readTexts(device, groupId)).toEqual(sent)
  const { error, errorCode } = await findStored(tablet, ids[0])
  expect([error, errorCode]).toEqual([undefined, undefined])
})

test('P6 P14: what its author could not send before they were removed can be sent once they are in again', async () => {
  const { lab, ben, phone, tablet, groupId } = await start()
  const { change } = phone.messenger.groups
  tablet.network.goOffline()
  const id = await say(tablet, groupId, 'two')
  await change(groupId, { kind: 'remove', userId: ben.userId })
  await lab.settle()
  tablet.network.goOnline()
  await untilFailed(tablet, id, 'group_left')
  await untilRead(tablet, groupId, ['create', 'one', 'two', 'remove'])
  await change(groupId, { kind: 'add', userIds: [ben.userId] })
  await untilRead(tablet, groupId, ['create', 'one', 'two', 'remove', 'add'])
  await tablet.messenger.commands.retryMessage(id)
  for (const device of [phone, tablet]) {
    await untilRead(device, groupId, ['create', 'one', 'remove', 'add', 'two'])
  }
  await lab.settle()
  await lab.expectConverged()
})
