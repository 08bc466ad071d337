import { expect, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { waitUntil } from '../../lab/browser/wait-until.ts'
import type { Addressee, LabDevice } from '../../lab/device/lab-device-types.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'

/** Ann with a phone, Ben with a tablet, and a backup that has a file from her to him. */
async function startWithBackup(people: { hasKeys?: boolean } = {}) {
  const { lab, ann, ben } = await openTestLab({}, people)
  const [phone, tablet] = [await ann.device(), await ben.device()]
  const first = await phone.sendFile(ben, 'in the backup')
  await lab.settle()
  await lab.server.takeBackup()
  return { lab, ann, ben, phone, tablet, first }
}

const readWords = async (device: LabDevice, withWhom: Addressee) =>
  (await device.read(withWhom)).map(({ content }) => content)

const readMessage = async (device: LabDevice, messageId: string) =>
  must((await device.stored()).messages.get(messageId), 'the message')

async function readFile(device: LabDevice, messageId: string) {
  return await (await device.messenger.files.load(await readMessage(device, messageId))).text()
}

const countUploads = (device: LabDevice) =>
  device.network.listRequests().filter((line) => line.endsWith('/messages/upload')).length

const asked = (device: LabDevice) =>
  device.network.listRequests().filter((line) => line.endsWith('/messages/uploads/missing')).length

test.each([
  ['a file', false],
  ['P13: a sealed file', true],
])(
  'P1 P2 P11: %s that a restored server lacks comes back from its author’s device, to the same address and in its place',
  async (_what, hasKeys) => {
    const { lab, ann, ben, phone, tablet, first } = await startWithBackup({ hasKeys })
    const id = await phone.sendFile(ben, 'lost')
    await phone.say(ben, 'after it')
    await lab.settle()
    const before = await readMessage(phone, id)
    const uploads = countUploads(phone)

    await lab.server.putBackBackup({ restored: 'today' })
    await lab.settle()
    await lab.expectConverged()
    expect(await readMessage(phone, id)).toEqual(before)
    expect(await readWords(tablet, ann)).toEqual(['in the backup', 'lost', 'after it'])
    expect(await readFile(tablet, id)).toBe('file lost')
    expect(await readFile(tablet, first)).toBe('file in the backup')
    // Files in the backup stay in place.
    expect(countUploads(phone)).toBe(uploads + 1)
  },
)

test('P1 P11: a file comes back that the backup has not, though it has its message, also after a reload in between', async () => {
  const { lab, ben, phone, tablet, first } = await startWithBackup()
  phone.network.goOffline()
  await lab.server.putBackBackup({ restored: 'today', losesFiles: true })
  await expect(readFile(tablet, first)).rejects.toThrow()
  await phone.reload()
  phone.network.goOnline()
  const laptop = await ben.device()
  await lab.settle()
  await lab.expectConverged()
  expect(await readFile(tablet, first)).toBe('file in the backup')
  expect(await readFile(laptop, first)).toBe('file in the backup')
  // Once per epoch, including the check whether it has arrived.
  expect(asked(phone)).toBe(2)
  await phone.reload()
  await phone.say(ben, 'after it')
  await lab.settle()
  expect(asked(phone)).toBe(2)
})

test('P1 P11: what was uploaded for a message that had not left is uploaded again, before what was said after it', async () => {
  const { lab, ann, ben, phone, tablet } = await startWithBackup()
  const { release } = phone.network.holdWrites('messages')
  const id = await phone.sendFile(ben, 'uploaded')
  await waitUntil('it is uploaded', async () => Boolean((await readMessage(phone, id)).mediaUrl))
  await phone.say(ben, 'after it')
  const uploads = countUploads(phone)
  await lab.server.putBackBackup({ restored: 'today' })
  await waitUntil('it is uploaded again', () => countUploads(phone) > uploads)
  release()
  await lab.settle()
  await lab.expectConverged()
  expect(await readWords(tablet, ann)).toEqual(['in the backup', 'uploaded', 'after it'])
  expect(await readFile(tablet, id)).toBe('file uploaded')
})

test('P6 P11: a message that is refused because the server has lost its file is sent again by itself, before what was said after it', async () => {
  const { lab, ann, ben, phone, tablet } = await startWithBackup()
  const { release } = phone.network.holdWrites('messages')
  const id = await phone.sendFile(ben, 'uploaded')
  await waitUntil('it is uploaded', async () => Boolean((await readMessage(phone, id)).mediaUrl))
  await phone.say(ben, 'after it')
  // No one reports the restore, and no device is ahead: only the refusal shows it.
  await lab.server.takeBackup()
  await lab.server.putBackBackup({ losesFiles: true })
  release()
  await waitUntil('it has been refused', async () => (await readMessage(phone, id)).attempt > 1)
  const words = ['in the backup', 'uploaded', 'after it']
  await expect.poll(() => readWords(tablet, ann)).toEqual(words)
  expect(await readFile(tablet, id)).toBe('file uploaded')
})
