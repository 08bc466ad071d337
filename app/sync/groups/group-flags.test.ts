import { expect, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import type { LabDevice } from '../../lab/device/lab-device-types.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'

async function start() {
  const { lab, ann, ben } = await openTestLab({ settings: { GROUPS: 'on' } })
  const [phone, laptop, tablet] = [await ann.device(), await ann.device(), await ben.device()]
  await lab.settle()
  const groupId = await phone.messenger.groups.create({ name: 'Walks', memberIds: [ben.userId] })
  for (const content of ['one', 'two']) {
    await phone.messenger.commands.sendMessage({ peerId: groupId, content })
  }
  for (const device of [laptop, tablet]) {
    await expect.poll(() => readWords(device, groupId)).toEqual(['one', 'two'])
  }
  return { lab, ann, ben, phone, laptop, tablet, groupId }
}

const readWords = async (device: LabDevice, groupId: string) =>
  (await device.read({ userId: groupId })).flatMap(({ content }) => content || [])

const readStarred = async (device: LabDevice, groupId: string) =>
  (await device.read({ userId: groupId })).flatMap(({ isStarred, content }) =>
    isStarred ? [content] : [],
  )

async function find(device: LabDevice, groupId: string, content: string) {
  const all = await device.read({ userId: groupId })
  return must(
    all.find((message) => message.content === content),
    'a message',
  )._id
}

async function star(device: LabDevice, groupId: string, content: string, isStarred = true) {
  await device.messenger.commands.setStarred(await find(device, groupId, content), isStarred)
}

test('P5: a star in a group is on all devices of its person, old and new, and on nobody else’s', async () => {
  const { lab, ann, ben, phone, laptop, tablet, groupId } = await start()
  await star(phone, groupId, 'one')
  await expect.poll(() => readStarred(laptop, groupId)).toEqual(['one'])
  const third = await ann.device()
  await expect.poll(() => readStarred(third, groupId)).toEqual(['one'])
  await laptop.reload()
  expect(await readStarred(laptop, groupId)).toEqual(['one'])
  await star(laptop, groupId, 'one', false)
  for (const device of [phone, third]) {
    await expect.poll(() => readStarred(device, groupId)).toEqual([])
  }
  await star(phone, groupId, 'two')
  await expect.poll(() => readStarred(third, groupId)).toEqual(['two'])
  await lab.settle()
  expect(await readStarred(tablet, groupId)).toEqual([])
  // P8: the group's copy has nobody's star.
  for (const { token } of [ann, ben]) {
    const url = `${lab.server.url}/sync/groups/${groupId}/_all_docs?include_docs=true`
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
    expect(await response.text()).not.toContain('"isStarred":true')
  }
})

test('P5: of two changes that were made without a network the later star counts, whichever arrives first', async () => {
  const { phone, laptop, groupId } = await start()
  phone.network.goOffline()
  laptop.network.goOffline()
  await star(laptop, groupId, 'one')
  await star(phone, groupId, 'one')
  await star(phone, groupId, 'one', false)
  await star(laptop, groupId, 'two')
  await phone.reload()
  phone.network.goOnline()
  laptop.network.goOnline()
  for (const device of [phone, laptop]) {
    await expect.poll(() => readStarred(device, groupId)).toEqual(['two'])
  }
})

test('P5 P8: what is deleted for oneself in a group goes from all devices of its person, old and new, and from nobody else’s', async () => {
  const { lab, ann, ben, phone, laptop, tablet, groupId } = await start()
  const id = await find(phone, groupId, 'two')
  const readStored = async (device: LabDevice) => (await device.stored()).messages.get(id)
  phone.network.goOffline()
  await phone.messenger.commands.setHidden(id, true)
  await phone.reload()
  expect(await readStored(phone)).toMatchObject({ isHidden: true })
  phone.network.goOnline()
  await expect.poll(() => readStored(laptop)).toMatchObject({ isHidden: true })
  const third = await ann.device()
  await expect.poll(() => readStored(third)).toMatchObject({ isHidden: true })
  await laptop.reload()
  expect(await readStored(laptop)).toMatchObject({ isHidden: true })
  // Undo on another device brings it back everywhere.
  await laptop.messenger.commands.setHidden(id, false)
  for (const device of [phone, third]) {
    await expect.poll(() => readStored(device)).toMatchObject({ isHidden: false })
  }
  await lab.settle()
  expect(await readStored(tablet)).not.toHaveProperty('isHidden')
  for (const { token } of [ann, ben]) {
    const url = `${lab.server.url}/sync/groups/${groupId}/_all_docs?include_docs=true`
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
    expect(await response.text()).not.toContain('isHidden')
  }
})
