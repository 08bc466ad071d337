import { expect, test } from 'vitest'
import { waitUntil } from '../lab/browser/wait-until.ts'
import type { LabDevice } from '../lab/create-lab-device.ts'
import type { LabPerson } from '../lab/create-lab-person.ts'
import { openTestLab } from '../lab/open-test-lab.ts'

async function readTexts(device: LabDevice, withWhom: LabPerson) {
  return (await device.read(withWhom)).map(({ content }) => content)
}

test('P1 P2: what a backup lacks comes back from the devices, once, in its place, and as read as it was', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  const first = await phone.say(ben, 'in the backup')
  await lab.settle()
  await lab.server.takeBackup()
  await phone.say(ben, 'lost one')
  await lab.settle()
  await tablet.say(ann, 'lost two')
  await lab.settle()
  const third = await phone.say(ben, 'lost three')
  await phone.edit(first, 'in the backup, edited')
  await lab.settle()
  await tablet.messenger.commands.markRead(ann.userId)
  await tablet.messenger.commands.setStarred(third, true)
  await lab.settle()
  const before = { phone: await phone.stored(), tablet: await tablet.stored() }
  const places = () =>
    phone.stored().then(({ messages }) => [...messages.values()].map((one) => one.orderedAt).sort())
  const placesBefore = await places()

  await lab.server.putBackBackup({ restored: 'today' })
  await lab.settle()
  await lab.expectConverged()
  const texts = ['in the backup, edited', 'lost one', 'lost two', 'lost three']
  expect(await readTexts(phone, ben)).toEqual(texts)
  expect(await readTexts(tablet, ann)).toEqual(texts)
  expect(await places()).toEqual(placesBefore)
  expect((await tablet.stored()).messages.get(third)).toMatchObject({ isStarred: true })
  expect((await phone.stored()).messages.size).toBe(before.phone.messages.size)
  const statuses = (await phone.read(ben)).map(({ status }) => status)
  expect(statuses).toEqual(['read', 'read', 'delivered', 'read'])

  await phone.say(ben, 'after it')
  await lab.settle()
  await lab.expectConverged()
  expect(await readTexts(tablet, ann)).toEqual([...texts, 'after it'])
})
