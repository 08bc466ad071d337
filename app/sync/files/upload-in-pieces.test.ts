import { expect, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { waitUntil } from '../../lab/browser/wait-until.ts'
import type { LabDevice } from '../../lab/device/lab-device-types.ts'
import { sendTextFile } from '../../lab/device/send-text-file.ts'
import type { LabOptions } from '../../lab/lab.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'
import type { UploadState } from './uploads.ts'

const MiB = 1024 * 1024

/** Ann with a phone, Ben with a tablet. */
async function start(options: LabOptions = {}, people: { hasKeys?: boolean } = {}) {
  const { lab, ann, ben } = await openTestLab(options, people)
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await lab.settle()
  return { lab, ann, ben, phone, tablet }
}

/** Words of the given byte length, without repetition. */
function writeWords(bytes: number): string {
  let words = ''
  for (let line = 0; words.length < bytes; line += 1) words += `${line} lines have come so far\n`
  return words.slice(0, bytes)
}

/** Waits until the file has arrived, skipping the delays after each break. */
async function arrive(device: LabDevice, messageId: string) {
  const isThere = async () =>
    (await device.stored()).messages.get(messageId)?.mediaUrl !== undefined
  await waitUntil(
    'the file is at the server',
    async () => {
      device.network.hurry()
      return await isThere()
    },
    100_000,
  )
}

async function readFile(device: LabDevice, messageId: string) {
  const message = must((await device.stored()).messages.get(messageId), 'the message')
  return await (await device.messenger.files.load(message)).text()
}

/** No acknowledged byte is sent a second time. */
function expectNothingTwice(device: LabDevice, size: number) {
  expect(device.network.countFiled().takenBytes).toBeLessThanOrEqual(size)
}

const countWhole = (device: LabDevice) =>
  device.network.listRequests().filter((line) => line.endsWith('/messages/upload')).length

test.each([
  ['a map of 6 MB over a line that breaks at every second part', 6 * MiB, 2],
  ['a film of 25 MB over a line that breaks at every third part', 25 * MiB, 3],
])(
  'P2: %s arrives once, before what was said after it, and only what broke off is sent again',
  async (_what, size, nth) => {
    const { lab, ann, ben, phone, tablet } = await start()
    phone.network.breakEveryUpload(nth)
    const words = writeWords(size)
    const id = await phone.sendFile(ben, 'the file', words)
    await phone.say(ben, 'after it')
    await arrive(phone, id)
    await lab.settle()
    await lab.expectConverged()
    const said = (await tablet.read(ann)).map(({ content }) => content)
    expect(said).toEqual(['the file', 'after it'])
    expect((await readFile(tablet, id)) === words).toBe(true)
    expect(phone.network.countFiled().brokenRequests).toBeGreaterThanOrEqual(10)
    expectNothingTwice(phone, size)
    expect(countWhole(phone)).toBe(0)
  },
)

/** Until the line has broken in the middle of an upload once more: a slow machine may see two breaks at once. */
async function untilBroken({ network }: LabDevice, before = 0) {
  await expect.poll(() => network.countFiled().brokenRequests).toBeGreaterThan(before)
}

/** In the middle of an upload whose line breaks at every second part. */
async function startBroken(options: LabOptions & { size?: number; hasKeys?: boolean } = {}) {
  const { size = 2 * MiB, hasKeys = false } = options
  const test = await start(options, { hasKeys })
  const { phone, ben } = test
  phone.network.breakEveryUpload(2)
  const words = writeWords(size)
  const id = await phone.sendFile(ben, 'the file', words)
  await untilBroken(phone)
  return { ...test, id, words, size }
}

/** Of a sealed file each piece has a tag of 16 bytes. */
const sealedSize = (size: number) => size + 16 * Math.ceil(size / (64 * 1024))

test.each([
  ['a file', false],
  ['P13: a sealed file', true],
])(
  'P1 P2: a reload, and a kill of the server, in the middle of an upload: %s goes on where it was',
  async (_what, hasKeys) => {
    const { lab, ann, phone, tablet, id, words, size } = await startBroken({ hasKeys })
    await phone.reload()
    await untilBroken(phone, phone.network.countFiled().brokenRequests)
    await lab.server.kill()
    await lab.server.start()
    await arrive(phone, id)
    await lab.settle()
    await lab.expectConverged()
    expect((await readFile(tablet, id)) === words).toBe(true)
    expectNothingTwice(phone, hasKeys ? sealedSize(size) : size)
    const stored = (await ann.server.messages()).get(id)
    expect(stored?.sealed !== undefined).toBe(hasKeys)
  },
)

test('a tab that opens sees how far the upload of another has come, and goes on with it when that one closes', async () => {
  const { lab, ben, phone, tablet } = await start()
  const second = await phone.openTab()
  const seen: (UploadState | undefined)[] = []
  const states = second.messenger.files.uploads
  phone.network.breakEveryUpload(2)
  const words = writeWords(2 * MiB)
  const given = { to: ben, content: 'the file', fileWords: words }
  states.subscribe(() => seen.push(...states.getSnapshot().values()))
  const id = await sendTextFile(second.messenger, given)
  await untilBroken(phone)
  await expect.poll(() => seen).toContainEqual({ kind: 'uploading', share: 0.125 })
  // It must not end before the third tab is there.
  phone.network.breakEveryUpload(1)
  const third = await phone.openTab()
  await expect.poll(() => third.messenger.files.uploads.getSnapshot().has(id)).toBe(true)
  phone.network.breakEveryUpload(2)
  await must(phone.tabs[0], 'the first tab').close()
  await arrive(phone, id)
  await lab.settle()
  expect((await readFile(tablet, id)) === words).toBe(true)
  expectNothingTwice(phone, 2 * MiB)
  for (const { messenger } of phone.tabs) {
    await expect.poll(() => messenger.files.uploads.getSnapshot().size).toBe(0)
  }
})

test('P6: an upload that has begun has its room: what comes when nothing is left is refused, and it arrives', async () => {
  const settings = { STORAGE_QUOTA_MB: '1' }
  const { lab, ann, phone, tablet, id, words } = await startBroken({ settings, size: 700_000 })
  const cem = await lab.person('cem')
  const late = await phone.sendFile(cem, 'one more', writeWords(500_000))
  const readState = async () => (await phone.stored()).messages.get(late)
  await expect.poll(readState).toMatchObject({ status: 'failed', errorCode: 'storage_full' })
  await arrive(phone, id)
  const readSaid = async () => (await tablet.read(ann)).map(({ content }) => content)
  await expect.poll(readSaid).toEqual(['the file'])
  expect((await readFile(tablet, id)) === words).toBe(true)
})

test.each(['its beginning is under way', 'its line is broken'])(
  'an upload that is cancelled while %s leaves its room to the next',
  async (when) => {
    const { lab, ben, phone, tablet } = await start({ settings: { STORAGE_QUOTA_MB: '1' } })
    phone.network.breakEveryUpload(1)
    const release = phone.network.holdResponses()
    const id = await phone.sendFile(ben, 'the wrong file', writeWords(700_000))
    const hasBegun = () => phone.network.listRequests().some((line) => line.includes(id))
    await expect.poll(hasBegun).toBe(true)
    if (when === 'its line is broken') {
      release()
      await untilBroken(phone)
    }
    await phone.messenger.commands.discardMessage(id)
    release()
    phone.network.breakEveryUpload(0)
    const right = writeWords(600_000)
    const next = await phone.sendFile(ben, 'the right file', right)
    await lab.settle()
    expect((await readFile(tablet, next)) === right).toBe(true)
  },
)

test('a file that the server cannot take now is tried again, and what was said after it waits', async () => {
  const { lab, ann, ben, phone, tablet } = await start()
  phone.network.goOffline()
  const words = writeWords(MiB)
  const id = await phone.sendFile(ben, 'the file', words)
  await phone.say(ben, 'after it')
  phone.network.answer(503, 12)
  phone.network.goOnline()
  await arrive(phone, id)
  await lab.settle()
  await lab.expectConverged()
  const said = (await tablet.read(ann)).map(({ content }) => content)
  expect(said).toEqual(['the file', 'after it'])
  expect((await readFile(tablet, id)) === words).toBe(true)
})

test('P12: a full disk in the middle of an upload is told in words, and it goes on where it was once there is room', async () => {
  const { lab, phone, tablet, id, words, size } = await startBroken()
  lab.server.disk.fillUp({ after: 0, count: 1_000_000, leaves: 'nothing' })
  const readState = () => {
    phone.network.hurry()
    return phone.messenger.files.uploads.getSnapshot().get(id)
  }
  const told = { kind: 'waiting', words: expect.stringMatching(/can't store anything right now/) }
  await expect.poll(readState).toEqual(told)
  lab.server.disk.makeRoom()
  await arrive(phone, id)
  await lab.settle()
  await lab.expectConverged()
  expect((await readFile(tablet, id)) === words).toBe(true)
  expectNothingTwice(phone, size)
})

test('an older server, which knows nothing of pieces, gets the file in one request', async () => {
  const { lab, ben, phone, tablet } = await start()
  phone.network.haveNoPieces()
  const words = writeWords(MiB)
  const id = await phone.sendFile(ben, 'the file', words)
  await lab.settle()
  expect((await readFile(tablet, id)) === words).toBe(true)
  expect(countWhole(phone)).toBe(1)
})
