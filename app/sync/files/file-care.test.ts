import { expect, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { changeMessage, setStarred } from '../../database/commands/change-message.ts'
import { sendFile } from '../../database/commands/send-file.ts'
import { sendMessage } from '../../database/commands/send-message.ts'
import type { FileKeeping } from '../../database/files/file-budget.ts'
import { createFileStore } from '../../database/files/file-store.ts'
import { ben, openTestDatabase } from '../../database/testing/open-test-database.ts'
import { createLabDisk } from '../../lab/kit/disk.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'
import { createFileCare } from './file-care.ts'
import type { Files } from './files-types.ts'

const ivy = '01900000-0000-7000-8000-00000000000c'

/** What chats with files take. */
const listFiles = async ({ listUsage }: Pick<Files, 'listUsage'>) =>
  (await listUsage()).filter(({ count }) => count > 0)

async function start(
  given: { quota?: number; shown?: Set<string>; keeping?: { value: FileKeeping } } = {},
) {
  const disk = createLabDisk()
  const { context } = await openTestDatabase({ indexedDB: disk.indexedDB })
  const files = createFileStore(context)
  const room = { usage: 0, quota: given.quota ?? 1_000_000 }
  const care = createFileCare({
    context,
    platform: { estimate: async () => room },
    isShown: ({ messageId }) => given.shown?.has(messageId) ?? false,
    readKeeping: () => given.keeping?.value ?? 'auto',
  })
  async function send(words: string, peerId = ben) {
    const bytes = new Blob([words])
    const about = { name: `${words}.txt`, size: bytes.size, mimeType: 'text/plain' }
    return await sendFile(context, { peerId, bytes, about, type: 'document', content: words })
  }
  async function keepSent(words: string, peerId = ben) {
    const id = await send(words, peerId)
    await changeMessage(context.database.messages, id, (message) => ({
      ...message,
      status: 'sent',
      mediaUrl: `/api/media/${words}`,
    }))
    return id
  }
  const isKept = async (id: string) => (await files.read({ _id: id })) !== undefined
  return { context, disk, room, care, send, keepSent, isKept }
}

test('beyond the budget the file leaves that was not used for longest; unsent, starred and shown ones stay', async () => {
  const shown = new Set<string>()
  const { context, room, care, send, keepSent, isKept } = await start({ shown })
  const ten = 'x'.repeat(10)
  const waiting = await send(ten)
  const starred = await keepSent(`${ten}1`)
  await setStarred(context, { messageId: starred, isStarred: true })
  const seen = await keepSent(`${ten}2`)
  shown.add(seen)
  const [old, recent] = [await keepSent(`${ten}3`), await keepSent(`${ten}4`)]
  await care.tidy()
  expect(await isKept(old)).toBe(true)
  // A quarter of 54 used bytes plus the free ones: 44.
  room.quota = 122
  await care.tidy()
  expect([await isKept(old), await isKept(recent)]).toEqual([false, true])
  room.quota = 0
  await care.tidy()
  const stays = [await isKept(waiting), await isKept(starred), await isKept(seen)]
  expect([...stays, await isKept(recent)]).toEqual([true, true, true, false])
})

test('what a person keeps on the device counts as soon as it is chosen, and leaves room for messages', async () => {
  const keeping: { value: FileKeeping } = { value: 'auto' }
  const { room, care, keepSent, isKept } = await start({ keeping, quota: 1_000_000_000 })
  const [old, recent] = [await keepSent('x'.repeat(50)), await keepSent('y'.repeat(50))]
  await care.tidy()
  // All of the space is these files and 20 bytes: a quarter would be 30.
  room.quota = 20
  keeping.value = 'all'
  await care.tidy()
  expect([await isKept(old), await isKept(recent)]).toEqual([true, true])
  room.quota = 0
  await care.tidy()
  expect([await isKept(old), await isKept(recent)]).toEqual([false, true])
  keeping.value = 'auto'
  await care.tidy()
  expect(await isKept(recent)).toBe(false)
})

test('what each chat takes counts its messages too, about, and those of chats without files', async () => {
  const { context, care, keepSent } = await start()
  await keepSent('a map')
  for (let count = 0; count < 40; count += 1) {
    await sendMessage(context, { peerId: ivy, content: 'x'.repeat(1_000) })
  }
  const [first, second] = await care.listUsage()
  expect(first).toMatchObject({ peerId: ivy, bytes: 0, count: 0, messageCount: 40 })
  expect(first?.messageBytes).toBeGreaterThan(40_000)
  expect(first?.messageBytes).toBeLessThan(120_000)
  expect(second).toMatchObject({ peerId: ben, count: 1, messageCount: 1 })
})

test('what each chat takes is told, and cleared for one chat or all, with its progress', async () => {
  const { care, send, keepSent, isKept } = await start()
  const waiting = await send('waits')
  for (let count = 0; count < 25; count += 1) await keepSent(`file ${count}`)
  const other = await keepSent('of another', ivy)
  expect(await listFiles(care)).toMatchObject([
    { peerId: ben, count: 26, lastingCount: 1 },
    { peerId: ivy, bytes: 10, count: 1, lastingCount: 0 },
  ])
  const seen: unknown[] = []
  await care.clear({ peerId: ben, onProgress: (progress) => seen.push(progress) })
  expect(seen).toEqual([
    { done: 0, total: 25 },
    { done: 20, total: 25 },
  ])
  expect([await isKept(waiting), await isKept(other)]).toEqual([true, true])
  expect(await care.clear({})).toBe(10)
  expect(await listFiles(care)).toMatchObject([{ peerId: ben, count: 1, lastingCount: 1 }])
})

test('P6: a disk that fails while media are cleared is told in words, and nothing is forgotten', async () => {
  const { care, disk, keepSent, isKept } = await start()
  const id = await keepSent('a map')
  disk.fail()
  await expect(care.clear({})).rejects.toThrow("This device couldn't remove all of it.")
  disk.makeRoom()
  expect(await isKept(id)).toBe(true)
  expect(await care.clear({})).toBe(5)
})

test('P8: a conversation that is cleared on one device loses its files on all, also where the page was closed meanwhile', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, laptop, tablet] = [await ann.device(), await ann.device(), await ben.device()]
  await lab.settle()
  const id = await tablet.sendFile(ann, 'the map')
  await lab.settle()
  for (const device of [phone, laptop]) {
    const [message] = await device.read(ben)
    if (!message) throw new Error('The message is not there.')
    await device.messenger.files.load(message)
  }
  const isKept = async ({ messenger }: typeof phone) =>
    (await messenger.files.find({ _id: id })) !== undefined
  expect([await isKept(phone), await isKept(laptop)]).toEqual([true, true])
  await laptop.close()
  await phone.messenger.commands.clearConversation(ben.userId)
  await phone.reload()
  await expect.poll(() => isKept(phone)).toBe(false)
  await laptop.openTab()
  await expect.poll(() => isKept(laptop)).toBe(false)
  expect(await isKept(tablet)).toBe(true)
})

test('P1: a starred message keeps its file when the chat is cleared under which the same bytes lie, until its star goes', async () => {
  const { lab, ann, ben } = await openTestLab()
  const ivy = await lab.person('ivy')
  const phone = await ann.device()
  await lab.settle()
  const id = await phone.sendFile(ben, 'the map')
  const other = await phone.sendFile(ben, 'the chart')
  await lab.settle()
  const forwarding = { kind: 'forward', messageId: id, recipientIds: [ivy.userId] } as const
  await phone.messenger.requests.add(forwarding)
  await lab.settle()
  const [forwarded] = await phone.read(ivy)
  const message = must(forwarded, 'the forwarded message')
  await phone.messenger.commands.setStarred(message._id, true)
  await phone.messenger.commands.clearConversation(ben.userId)
  await phone.reload()
  const { files } = phone.messenger
  await expect.poll(() => files.find({ _id: other })).toBeUndefined()
  await files.clear({})
  phone.network.goOffline()
  expect(await (await files.load(message)).text()).toBe('file the map')
  expect(await listFiles(files)).toMatchObject([{ count: 1, lastingCount: 1 }])
  await phone.messenger.commands.setStarred(message._id, false)
  await phone.messenger.files.clear({})
  expect(await phone.messenger.files.find(message)).toBeUndefined()
})

test('P1: a starred forward keeps its file when the other person deletes the message it came from, until it is deleted too', async () => {
  const { lab, ann, ben } = await openTestLab()
  const ivy = await lab.person('ivy')
  const [phone, tablet, other] = [await ann.device(), await ben.device(), await ivy.device()]
  await lab.settle()
  const sent = [await tablet.sendFile(ann, 'map'), await tablet.sendFile(ann, 'chart')]
  const alone = await tablet.sendFile(ann, 'plan')
  await lab.settle()
  const { commands, files, requests } = phone.messenger
  for (const message of await phone.read(ben)) await files.load(message)
  for (const messageId of sent) {
    await requests.add({ kind: 'forward', messageId, recipientIds: [ivy.userId] })
    await lab.settle()
  }
  const forwards = await phone.read(ivy)
  for (const { _id } of forwards) await commands.setStarred(_id, true)
  for (const messageId of [...sent, alone]) await tablet.delete(messageId)
  await lab.settle()
  expect(await files.find({ _id: alone })).toBeUndefined()
  phone.network.goOffline()
  const received = await other.read(ann)
  for (const [at, words] of ['file map', 'file chart'].entries()) {
    const forward = must(forwards[at], words)
    expect(await (await files.load(forward)).text()).toBe(words)
    // The server keeps it for as long as any message shows it.
    expect(await (await other.messenger.files.load(must(received[at], words))).text()).toBe(words)
    await commands.deleteMessage(forward._id)
    await expect.poll(() => files.find({ _id: must(sent[at], words) })).toBeUndefined()
  }
  expect(await listFiles(files)).toEqual([])
})

test('a file that was cleared is fetched again from the server when it is asked for', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await lab.settle()
  const id = await phone.sendFile(ben, 'the map')
  await lab.settle()
  await expect.poll(() => phone.messenger.files.clear({})).toBe('file the map'.length)
  expect(await phone.messenger.files.find({ _id: id })).toBeUndefined()
  const [message] = await phone.read(ben)
  if (!message) throw new Error('The message is not there.')
  expect(await (await phone.messenger.files.load(message)).text()).toBe('file the map')
  expect(await phone.messenger.files.find({ _id: id })).toBeDefined()
  expect(await (await tablet.messenger.files.load(message)).text()).toBe('file the map')
})
