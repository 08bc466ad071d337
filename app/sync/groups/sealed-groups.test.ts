import { expect, test } from 'vitest'
import type { MessageDocument } from '../../../schema/message.ts'
import type { LabDevice } from '../../lab/device/lab-device-types.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'

/** Ann, Ben and Cyd with keys, each with a device, in a group of Ann and Ben. */
async function start() {
  const withKeys = { hasKeys: true }
  const { lab, ann, ben } = await openTestLab({ settings: { GROUPS: 'on' } }, withKeys)
  const cyd = await lab.person('cyd', withKeys)
  const phone = await ann.device()
  const tablet = await ben.device()
  const laptop = await cyd.device()
  await lab.settle()
  const groupId = await phone.messenger.groups.create({ name: 'Walks', memberIds: [ben.userId] })
  return { lab, ann, ben, cyd, phone, tablet, laptop, groupId }
}

const say = (device: LabDevice, groupId: string, content: string) =>
  device.messenger.commands.sendMessage({ peerId: groupId, content })

const readWords = async (device: LabDevice, groupId: string) =>
  (await device.read({ userId: groupId })).flatMap(({ content }) => content || [])

/** What the server gives of the group's messages. */
async function readServer(person: { token: string }, url: string, groupId: string) {
  const response = await fetch(`${url}/sync/groups/${groupId}/_all_docs?include_docs=true`, {
    headers: { authorization: `Bearer ${person.token}` },
  })
  const { rows } = (await response.json()) as { rows: { doc: MessageDocument }[] }
  return rows.map(({ doc }) => doc)
}

test('P13: words in a group leave sealed, and every member opens them', async () => {
  const { lab, ann, phone, tablet, groupId } = await start()
  await say(phone, groupId, 'who comes on Sunday?')
  await expect.poll(() => readWords(tablet, groupId)).toEqual(['who comes on Sunday?'])
  await say(tablet, groupId, 'I do')
  await expect.poll(() => readWords(phone, groupId)).toEqual(['who comes on Sunday?', 'I do'])
  const stored = await readServer(ann, lab.server.url, groupId)
  const text = JSON.stringify(stored)
  expect(text).not.toContain('Sunday')
  expect(text).not.toContain('I do')
  // One secret for both.
  expect(stored.filter((one) => 'epoch' in one)).toHaveLength(1)
  expect(stored.filter(({ sealed }) => sealed)).toHaveLength(2)
})

test('P13: who is removed gets no secret of what is written after, and the others have a new one', async () => {
  const { lab, ann, ben, cyd, phone, tablet, laptop, groupId } = await start()
  await phone.messenger.groups.change(groupId, { kind: 'add', userIds: [cyd.userId] })
  await say(phone, groupId, 'one')
  await expect.poll(() => readWords(laptop, groupId)).toEqual(['one'])
  await phone.messenger.groups.change(groupId, { kind: 'remove', userId: ben.userId })
  await expect.poll(() => tablet.messenger.groups.get(groupId).getSnapshot()?.hasLeft).toBe(true)
  await say(phone, groupId, 'two')
  await expect.poll(() => readWords(laptop, groupId)).toEqual(['one', 'two'])
  const stored = await readServer(ann, lab.server.url, groupId)
  const epochs = stored.flatMap((one) =>
    'epoch' in one ? [Object.keys((one.epoch as { boxes: object }).boxes)] : [],
  )
  expect(epochs.at(-1)?.toSorted()).toEqual([ann.userId, cyd.userId].toSorted())
  expect(await readWords(tablet, groupId)).toEqual(['one'])
})

test('P13: who is added reads what those write who did not know of them yet', async () => {
  const { cyd, phone, tablet, laptop, groupId } = await start()
  await say(phone, groupId, 'one')
  await expect.poll(() => readWords(tablet, groupId)).toEqual(['one'])
  tablet.network.goOffline()
  await say(tablet, groupId, 'two')
  await phone.messenger.groups.change(groupId, { kind: 'add', userIds: [cyd.userId] })
  await expect
    .poll(() => laptop.messenger.groups.get(groupId).getSnapshot()?.members.length)
    .toBe(3)
  tablet.network.goOnline()
  await expect.poll(() => readWords(laptop, groupId)).toEqual(['two'])
  expect(await readWords(laptop, groupId)).not.toContain('one')
})

test('P13: a second device of a member reads the group from its beginning', async () => {
  const { ben, phone, tablet, groupId } = await start()
  await say(phone, groupId, 'one')
  await say(phone, groupId, 'two')
  await expect.poll(() => readWords(tablet, groupId)).toEqual(['one', 'two'])
  const second = await ben.device()
  await expect.poll(() => readWords(second, groupId)).toEqual(['one', 'two'])
  await say(second, groupId, 'three')
  await expect.poll(() => readWords(phone, groupId)).toEqual(['one', 'two', 'three'])
})

test('words to a group with somebody who has no keys leave in plain', async () => {
  const { lab, ann, phone, groupId } = await start()
  const dan = await lab.person('dan')
  const desk = await dan.device()
  await phone.messenger.groups.change(groupId, { kind: 'add', userIds: [dan.userId] })
  await expect.poll(() => desk.messenger.groups.get(groupId).getSnapshot()?.members.length).toBe(3)
  await say(phone, groupId, 'who comes?')
  await expect.poll(() => readWords(desk, groupId)).toEqual(['who comes?'])
  const stored = await readServer(ann, lab.server.url, groupId)
  expect(stored.find(({ content }) => content === 'who comes?')?.sealed).toBeUndefined()
})

test('P13: who comes by the link reads what is written from then on', async () => {
  const { lab, ann, cyd, phone, tablet, laptop, groupId } = await start()
  await say(phone, groupId, 'one')
  await expect.poll(() => readWords(tablet, groupId)).toEqual(['one'])
  const call = async (token: string, path: string) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const url = `${lab.server.url}/api/groups/${path}`
    const response = await fetch(url, { method: 'POST', headers, body: '{}' })
    expect(response.ok).toBe(true)
    return (await response.json()) as { code: string }
  }
  const { code } = await call(ann.token, `${groupId}/invite`)
  await call(cyd.token, `join/${code}`)
  // Ben's device may not know of Cyd yet.
  await say(tablet, groupId, 'two')
  await expect.poll(() => readWords(laptop, groupId)).toEqual(['two'])
})
