import { expect, test } from 'vitest'
import type { LabDevice } from '../../lab/device/lab-device-types.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'

async function start(people: { hasKeys?: boolean } = {}) {
  const { lab, ann, ben } = await openTestLab({ settings: { GROUPS: 'on' } }, people)
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await lab.settle()
  const groupId = await phone.messenger.groups.create({ name: 'Walks', memberIds: [ben.userId] })
  const say = (device: LabDevice, content: string) =>
    device.messenger.commands.sendMessage({ peerId: groupId, content })
  const read = async (device: LabDevice) =>
    (await device.read({ userId: groupId })).flatMap(({ content }) => content || [])
  await say(phone, 'before')
  await expect.poll(() => read(tablet)).toEqual(['before'])
  await lab.settle()
  return { lab, phone, tablet, say, read }
}

test.each([false, true])(
  'P6 P14: what a restored server lacks of a group comes back from its authors, in one order for all (keys: %s)',
  async (hasKeys) => {
    const { lab, phone, tablet, say, read } = await start({ hasKeys })
    await lab.server.takeBackup()
    await say(phone, 'one')
    await expect.poll(() => read(tablet)).toEqual(['before', 'one'])
    await say(tablet, 'two')
    await expect.poll(() => read(phone)).toEqual(['before', 'one', 'two'])
    await lab.server.putBackBackup({ restored: 'of today' })
    await lab.settle({ areFaultsOver: true })
    await expect.poll(async () => (await read(phone)).toSorted()).toEqual(['before', 'one', 'two'])
    await expect.poll(() => read(tablet)).toEqual(await read(phone))
  },
)
