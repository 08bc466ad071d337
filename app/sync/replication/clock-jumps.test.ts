import { expect, test } from 'vitest'
import { openTestLab } from '../../lab/open-test-lab.ts'

async function openDevices() {
  const { lab, ann, ben } = await openTestLab()
  const [phone, laptop] = [await ann.device(), await ann.device()]
  const id = await phone.say(ben, 'hello')
  await lab.settle()
  return { lab, ben, phone, laptop, id }
}

test('P5: what a clock that jumped said offline does not hide what comes later', async () => {
  const { lab, ben, phone, laptop, id } = await openDevices()
  phone.network.goOffline()
  phone.setClock(60 * 60 * 1000)
  await phone.edit(id, 'edited first')
  await phone.messenger.commands.setStarred(id, true)
  await phone.messenger.commands.setArchived(ben.userId, true)
  phone.setClock(0)
  phone.network.goOnline()
  await lab.settle()
  await laptop.edit(id, 'edited later')
  await laptop.messenger.commands.setStarred(id, false)
  await laptop.messenger.commands.setArchived(ben.userId, false)
  await lab.settle()
  // Nor does the next change of the device bring it back.
  await phone.messenger.commands.setPinned(ben.userId, true)
  await lab.settle()
  for (const device of [phone, laptop]) {
    expect(await device.read(ben)).toMatchObject([{ content: 'edited later', isStarred: false }])
    const rows = () => device.messenger.conversations.getSnapshot()
    await expect.poll(rows).toMatchObject([{ isArchived: false, isPinned: true }])
  }
})
