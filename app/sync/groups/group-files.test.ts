import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { pickFile } from '../../database/commands/change-message.ts'
import type { LabDevice } from '../../lab/device/lab-device-types.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'

/** Ann, Ben and Cyd, each with a device, in a group of Ann and Ben. */
async function start({ hasKeys = false } = {}) {
  const { lab, ann, ben } = await openTestLab({ settings: { GROUPS: 'on' } }, { hasKeys })
  const cyd = await lab.person('cyd', { hasKeys })
  const phone = await ann.device()
  const tablet = await ben.device()
  const laptop = await cyd.device()
  await lab.settle()
  const groupId = await phone.messenger.groups.create({ name: 'Walks', memberIds: [ben.userId] })
  await expect.poll(() => tablet.messenger.groups.get(groupId).getSnapshot()?.name).toBe('Walks')
  return { lab, ann, ben, cyd, phone, tablet, laptop, groupId, group: { userId: groupId } }
}

const say = (device: LabDevice, groupId: string, content: string) =>
  device.messenger.commands.sendMessage({ peerId: groupId, content })

/** The words of its messages, in their order; of a file its caption. */
const readWords = async (device: LabDevice, group: { userId: string }) =>
  (await device.read(group)).flatMap(({ content }) => content || [])

async function readFileOf(device: LabDevice, messageId: string) {
  const message = must((await device.stored()).messages.get(messageId), 'the message')
  return await (await device.messenger.files.load(message)).text()
}

/** What the files of the server's disk hold. */
async function readDisk(folder: string): Promise<Buffer[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name))))
}

test('P1 P2: files written offline among texts reach the members of a group once and in order, and are read offline', async () => {
  const { lab, phone, tablet, groupId, group } = await start()
  phone.network.goOffline()
  await say(phone, groupId, 'one')
  const id = await phone.sendFile(group, 'two')
  await say(phone, groupId, 'three')
  await phone.reload()
  expect(await readFileOf(phone, id)).toBe('file two')
  await lab.server.kill()
  phone.network.goOnline()
  await lab.server.start()
  await expect.poll(() => readWords(tablet, group)).toEqual(['one', 'two', 'three'])
  expect(await readFileOf(tablet, id)).toBe('file two')
  tablet.network.goOffline()
  await tablet.reload()
  expect(await readFileOf(tablet, id)).toBe('file two')
})

test('P2: an upload into a group that is cut and repeated is one file and one message', async () => {
  const { phone, tablet, groupId, group } = await start()
  phone.network.loseResponses(4)
  const id = await phone.sendFile(group, 'again')
  await say(phone, groupId, 'after it')
  await expect
    .poll(async () => {
      phone.network.hurry()
      return await readWords(tablet, group)
    })
    .toEqual(['again', 'after it'])
  expect(await readFileOf(tablet, id)).toBe('file again')
})

test('a group that is made offline gets its files once the server has made it', async () => {
  const { ben, phone, tablet } = await start()
  phone.network.goOffline()
  const { groups } = phone.messenger
  const groupId = await groups.create({ name: 'Boats', memberIds: [ben.userId] })
  const id = await phone.sendFile({ userId: groupId }, 'the tide table')
  phone.network.goOnline()
  await expect.poll(() => readWords(tablet, { userId: groupId })).toEqual(['the tide table'])
  expect(await readFileOf(tablet, id)).toBe('file the tide table')
})

test('P13: a file for a group leaves its device sealed, with its name, and every member opens it', async () => {
  const { lab, phone, tablet, groupId, group } = await start({ hasKeys: true })
  const words = 'fulmar'.repeat(20_000)
  const id = await phone.sendFile(group, 'eidersomateria', words)
  await say(phone, groupId, 'gannetmorus')
  await expect.poll(() => readWords(tablet, group)).toEqual(['eidersomateria', 'gannetmorus'])
  expect(await readFileOf(tablet, id)).toBe(words)
  const { messages } = await tablet.stored()
  expect(messages.get(id)?.file).toMatchObject({ name: 'eidersomateria.txt' })
  // Ben answers with a file: it needs no secret of its own.
  const answer = await tablet.sendFile(group, 'hoopoeupupa', 'jacanametopidius'.repeat(100))
  await expect.poll(() => readWords(phone, group)).toContain('hoopoeupupa')
  expect(await readFileOf(phone, answer)).toContain('jacana')
  await lab.server.kill()
  const disk = await readDisk(lab.server.dataDir)
  const holds = (word: string) => disk.some((file) => file.includes(word))
  expect(holds(groupId)).toBe(true)
  for (const canary of ['fulmarfulmar', 'eidersomateria', 'gannetmorus', 'hoopoeupupa', 'jacana']) {
    expect(holds(canary), canary).toBe(false)
  }
})

test('P13: a file that waits while somebody leaves the group is opened by those who are still there, and never by them', async () => {
  const { ann, ben, cyd, lab, phone, tablet, laptop, groupId, group } = await start({
    hasKeys: true,
  })
  await phone.messenger.groups.change(groupId, { kind: 'add', userIds: [cyd.userId] })
  await say(phone, groupId, 'one')
  await expect.poll(() => readWords(laptop, group)).toEqual(['one'])
  await expect.poll(() => readWords(tablet, group)).toEqual(['one'])
  phone.network.goOffline()
  const id = await phone.sendFile(group, 'the map')
  await phone.messenger.groups.change(groupId, { kind: 'remove', userId: ben.userId })
  phone.network.goOnline()
  await expect.poll(() => readWords(laptop, group)).toEqual(['one', 'the map'])
  expect(await readFileOf(laptop, id)).toBe('file the map')
  await expect.poll(() => tablet.messenger.groups.get(groupId).getSnapshot()?.hasLeft).toBe(true)
  expect((await tablet.stored()).messages.has(id)).toBe(false)
  const { mediaUrl } = must((await phone.stored()).messages.get(id), 'the message')
  const look = async ({ token }: { token: string }) =>
    await fetch(`${lab.server.url}${mediaUrl}`, { headers: { authorization: `Bearer ${token}` } })
  expect((await look(ben)).status).toBe(404)
  expect((await look(ann)).status).toBe(200)
})

test('P6: a file of somebody who is not in the group any more stays on their device, with the reason', async () => {
  const { ben, phone, tablet, groupId, group } = await start({ hasKeys: true })
  tablet.network.goOffline()
  const id = await tablet.sendFile(group, 'too late')
  await say(tablet, groupId, 'as well')
  await phone.messenger.groups.change(groupId, { kind: 'remove', userId: ben.userId })
  tablet.network.goOnline()
  const state = async () => (await tablet.stored()).messages.get(id)
  await expect.poll(state).toMatchObject({ status: 'failed', errorCode: 'group_left' })
  expect(await readFileOf(tablet, id)).toBe('file too late')
  expect(await readWords(phone, group)).toEqual([])
})

test.each([false, true])(
  'files are sent on from a person into a group, and from there to a person (sealed: %s)',
  async (hasKeys) => {
    const { ben, cyd, phone, tablet, laptop, groupId, group, ann } = await start({ hasKeys })
    const id = await laptop.sendFile(ann, 'the map')
    await expect.poll(async () => (await phone.read(cyd)).length).toBe(1)
    const forward = async (device: LabDevice, messageId: string, peerId: string) => {
      const message = must((await device.stored()).messages.get(messageId), 'the message')
      const { content } = message
      const forwarded = pickFile(message)
      return await device.messenger.commands.sendMessage({ peerId, content, forwarded })
    }
    const inGroup = await forward(phone, id, groupId)
    await expect.poll(() => readWords(tablet, group)).toEqual(['the map'])
    expect(await readFileOf(tablet, inGroup)).toBe('file the map')
    // Ben and Cyd have written to each other before: their devices know each other's keys.
    await laptop.say(ben, 'hello')
    await expect.poll(async () => (await tablet.read(cyd)).length).toBe(1)
    await forward(tablet, inGroup, cyd.userId)
    await expect.poll(async () => (await laptop.read(ben)).length).toBe(2)
    const back = must((await laptop.read(ben))[1], 'the message')
    expect(await readFileOf(laptop, back._id)).toBe('file the map')
  },
)

test('P11: a file of a group that a restored server lacks comes back from its author’s device, to the same address', async () => {
  const { lab, cyd, phone, tablet, laptop, groupId, group } = await start()
  const id = await phone.sendFile(group, 'the map')
  await expect.poll(() => readWords(tablet, group)).toEqual(['the map'])
  await lab.settle()
  await lab.server.takeBackup()
  phone.network.goOffline()
  await lab.server.putBackBackup({ restored: 'today', losesFiles: true })
  await expect(readFileOf(tablet, id)).rejects.toThrow()
  phone.network.goOnline()
  await expect.poll(() => readFileOf(tablet, id).catch(() => '')).toBe('file the map')
  // Who comes now reads what comes now.
  await phone.messenger.groups.change(groupId, { kind: 'add', userIds: [cyd.userId] })
  await say(phone, groupId, 'welcome')
  await expect.poll(() => readWords(laptop, group)).toEqual(['welcome'])
})

test('P6 P11: a message that a group refuses because its file is lost is sent again by itself, before what was said after it', async () => {
  const { lab, phone, tablet, groupId, group } = await start()
  await lab.settle()
  const { release } = phone.network.holdWrites('groups')
  const id = await phone.sendFile(group, 'uploaded')
  const read = async () => must((await phone.stored()).messages.get(id), 'the message')
  await expect.poll(async () => (await read()).mediaUrl).toEqual(expect.any(String))
  await say(phone, groupId, 'after it')
  await lab.server.takeBackup()
  await lab.server.putBackBackup({ losesFiles: true })
  release()
  await expect.poll(() => readWords(tablet, group)).toEqual(['uploaded', 'after it'])
  expect(await readFileOf(tablet, id)).toBe('file uploaded')
  expect((await read()).attempt).toBeGreaterThan(1)
})
