import { expect, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { waitUntil } from '../../lab/browser/wait-until.ts'
import type { Addressee, LabDevice } from '../../lab/device/lab-device-types.ts'
import { sendTextFile } from '../../lab/device/send-text-file.ts'
import type { LabOptions } from '../../lab/lab.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'

/** Ann with a phone, Ben with a tablet. */
async function start(options: LabOptions = {}) {
  const { lab, ann, ben } = await openTestLab(options)
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await lab.settle()
  return { lab, ann, ben, phone, tablet }
}

const readWords = async (device: LabDevice, withWhom: Addressee) =>
  (await device.read(withWhom)).map(({ content }) => content)

async function readFile(device: LabDevice, messageId: string) {
  const message = must((await device.stored()).messages.get(messageId), 'the message')
  return await (await device.messenger.files.load(message)).text()
}

test('P1 P2: files written offline among texts survive a reload and a kill of the server, arrive once and in order, and are read offline', async () => {
  const { lab, ann, ben, phone, tablet } = await start()
  phone.network.goOffline()
  await phone.say(ben, 'one')
  const id = await phone.sendFile(ben, 'two')
  await phone.say(ben, 'three')
  const second = await phone.sendFile(ben, 'four')
  await phone.say(ben, 'five')
  await phone.reload()
  expect(await readWords(phone, ben)).toEqual(['one', 'two', 'three', 'four', 'five'])
  expect(await readFile(phone, id)).toBe('file two')
  await lab.server.kill()
  phone.network.goOnline()
  await lab.server.start()
  await lab.settle()
  await lab.expectConverged()
  expect(await readWords(tablet, ann)).toEqual(['one', 'two', 'three', 'four', 'five'])
  expect(await readFile(tablet, id)).toBe('file two')
  expect(await readFile(tablet, second)).toBe('file four')
  tablet.network.goOffline()
  await tablet.reload()
  expect(await readFile(tablet, id)).toBe('file two')
  const [, received] = await tablet.read(ann)
  expect(received?.file).toEqual({
    name: 'two.txt',
    size: 8,
    mimeType: 'application/octet-stream',
  })
})

test('P2: an upload that is cut ten times is one file and one message, before what was said after it', async () => {
  const { lab, ann, ben, phone, tablet } = await start()
  await phone.say(ben, 'before it')
  await lab.settle()
  phone.network.loseResponses(10)
  const id = await phone.sendFile(ben, 'again and again')
  await phone.say(ben, 'after it')
  const countUploads = () =>
    phone.network.listRequests().filter((line) => line.endsWith('/messages/upload')).length
  await waitUntil('it has got through', () => {
    phone.network.hurry()
    return countUploads() > 10
  })
  await lab.settle()
  await lab.expectConverged()
  expect(countUploads()).toBe(11)
  expect(await readWords(tablet, ann)).toEqual(['before it', 'again and again', 'after it'])
  expect(await readFile(tablet, id)).toBe('file again and again')
  expect(phone.messenger.files.uploads.getSnapshot().size).toBe(0)
})

test('P6: a file that the server has no room for keeps its words and the reason, holds up nothing after it, and is sent by a retry once there is room', async () => {
  const { lab, ann, ben, phone, tablet } = await start({ settings: { STORAGE_QUOTA_MB: '1' } })
  const old: string[] = []
  for (let count = 0; count < 12; count += 1) old.push(await phone.say(ben, 'x'.repeat(60_000)))
  await lab.settle()
  const large = 'x'.repeat(700_000)
  const id = await phone.sendFile(ben, 'the map', large)
  await phone.say(ben, 'after it')
  const readState = async () => (await phone.stored()).messages.get(id)
  await expect.poll(readState).toMatchObject({
    status: 'failed',
    content: 'the map',
    errorCode: 'storage_full',
    error: expect.stringMatching(/your storage on this server is full/),
  })
  const readNewest = async () => (await readWords(tablet, ann)).slice(12)
  await expect.poll(readNewest).toEqual(['after it'])
  await expect.poll(() => phone.messenger.countUnsent()).toBe(1)
  for (const one of old) await phone.delete(one)
  await expect.poll(() => phone.messenger.countUnsent()).toBe(1)
  await phone.messenger.commands.retryMessage(id)
  await expect.poll(readNewest).toEqual(['after it', 'the map'])
  await lab.settle()
  expect(await readFile(tablet, id)).toBe(large)
})

test.each([500, 502, 413])(
  'P6: a file that something answers with %i waits and says so, holds up nothing after it, and is sent once it can be',
  async (status) => {
    const { lab, ann, ben, phone, tablet } = await start()
    phone.network.answerUploads(status)
    const id = await phone.sendFile(ben, 'the map')
    await phone.say(ben, 'after it')
    await expect.poll(() => readWords(tablet, ann)).toEqual(['after it'])
    // On a slow machine it is just being tried again.
    await expect
      .poll(() => phone.messenger.files.uploads.getSnapshot().get(id))
      .toMatchObject({ kind: 'waiting', words: expect.any(String) })
    phone.network.calm()
    phone.network.hurry()
    await lab.settle()
    await lab.expectConverged()
    expect(await readWords(tablet, ann)).toEqual(['after it', 'the map'])
    expect(await readFile(tablet, id)).toBe('file the map')
  },
)

test('P11: a disk that fails while a file waits ends nothing, and is asked again only after a while', async () => {
  const { lab, ann, ben, phone, tablet } = await start()
  phone.network.goOffline()
  await phone.sendFile(ben, 'through it all')
  phone.disk.fail()
  phone.network.goOnline()
  const refused = phone.disk.countRefused()
  await waitUntil('it has tried again', () => phone.disk.countRefused() > refused + 8)
  phone.disk.makeRoom()
  phone.network.hurry()
  await lab.settle()
  await lab.expectConverged()
  expect(await readWords(tablet, ann)).toEqual(['through it all'])
})

test('a file that waits can be given up, and what was said after it goes', async () => {
  const { lab, ann, ben, phone, tablet } = await start()
  phone.network.goOffline()
  const id = await phone.sendFile(ben, 'too much')
  await phone.say(ben, 'never mind')
  await phone.messenger.commands.discardMessage(id)
  phone.network.goOnline()
  await lab.settle()
  await lab.expectConverged()
  expect(await readWords(tablet, ann)).toEqual(['never mind'])
  expect(await phone.messenger.files.find({ _id: id })).toBeUndefined()
})

test('of two tabs one uploads what the other has written, once', async () => {
  const { lab, ann, ben, phone, tablet } = await start()
  const second = await phone.openTab()
  const fileWords = 'from the second tab'
  const id = await sendTextFile(second.messenger, { to: ben, content: '', fileWords })
  await lab.settle()
  await lab.expectConverged()
  expect((await tablet.read(ann)).map(({ _id }) => _id)).toEqual([id])
  const uploads = phone.network.listRequests().filter((line) => line.endsWith('/messages/upload'))
  expect(uploads).toHaveLength(1)
  expect(await readFile(phone, id)).toBe('from the second tab')
})

test('P8: a file that is forwarded is fetched once, and a deleted one leaves the device of its reader', async () => {
  const { lab, ann, ben, phone, tablet } = await start()
  const id = await phone.sendFile(ben, 'the map')
  await lab.settle()
  expect(await readFile(tablet, id)).toBe('file the map')
  const forwarding = { kind: 'forward', messageId: id, recipientIds: [ann.userId] } as const
  await tablet.messenger.requests.add(forwarding)
  await lab.settle()
  const [, forwarded] = await tablet.read(ann)
  const { _id, file } = must(forwarded, 'the forwarded message')
  expect(file?.name).toBe('the map.txt')
  expect(await readFile(tablet, _id)).toBe('file the map')
  expect(await readFile(phone, _id)).toBe('file the map')
  const countFetched = (device: LabDevice) =>
    device.network.listRequests().filter((line) => line.includes('/api/media/')).length
  expect([countFetched(phone), countFetched(tablet)]).toEqual([0, 1])

  await phone.delete(id)
  await lab.settle()
  expect(await tablet.messenger.files.find({ _id: id })).toBeUndefined()
  expect(await readFile(tablet, _id)).toBe('file the map')
  expect(countFetched(tablet)).toBe(2)
})

test('every view of a file follows its loading, also one that comes meanwhile, and hears how it ends', async () => {
  const { lab, ben, phone, tablet } = await start()
  const id = await phone.sendFile(ben, 'the map')
  await lab.settle()
  const { files } = tablet.messenger
  const message = must((await tablet.stored()).messages.get(id), 'the message')
  const views = { first: [] as Promise<Blob>[], late: [] as Promise<Blob>[] }
  const stop = files.onLoading(message, (file) => views.first.push(file))
  tablet.network.goOffline()
  const failing = files.load(message)
  files.onLoading(message, (file) => views.late.push(file))
  await expect(failing).rejects.toThrow()
  expect(views).toEqual({ first: [failing], late: [failing] })
  tablet.network.goOnline()
  stop()
  const loading = files.load(message)
  expect(await (await must(views.late[1], 'the second try')).text()).toBe('file the map')
  await loading
  expect(views.first).toHaveLength(1)
  files.onLoading(message, (file) => views.first.push(file))
  expect(views.first).toHaveLength(1)
})
