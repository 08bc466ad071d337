import { expect, onTestFinished, test } from 'vitest'
import { lineOf } from '../../../schema/api/groups.ts'
import type { LabDevice } from '../../lab/device/lab-device-types.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'

const pictureOf = (content: string) =>
  new Blob([Uint8Array.from([0xff, 0xd8, 0xff, 0xe0]), content], { type: 'image/jpeg' })

const shownOn = (device: LabDevice, groupId: string) =>
  device.messenger.groups.get(groupId).getSnapshot()?.picture

/** What an avatar of this group shows on that device now; it looks until the test ends. */
async function readShown(device: LabDevice, groupId: string): Promise<string> {
  const address = shownOn(device, groupId)
  if (!address) return 'none'
  const picture = device.messenger.pictures.get(address)
  if (!address.startsWith('blob:')) onTestFinished(picture.subscribe(() => {}))
  const url = address.startsWith('blob:') ? address : picture.getSnapshot()
  return url ? await (await fetch(url)).text() : 'none yet'
}

const seeShown = (device: LabDevice, groupId: string, content: string) =>
  expect.poll(() => readShown(device, groupId)).toContain(content)

const kindsOn = async (device: LabDevice, groupId: string) =>
  (await device.read({ userId: groupId })).flatMap((one) => lineOf(one)?.change.kind ?? [])

test('P10: a group’s picture that is given without a network shows at once, and reaches its members', async () => {
  const { lab, ann, ben } = await openTestLab({ settings: { GROUPS: 'on' } })
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await lab.settle()
  phone.network.goOffline()
  const groupId = await phone.messenger.groups.create({
    name: 'Walks',
    memberIds: [ben.userId],
    picture: pictureOf('a hill'),
  })
  await seeShown(phone, groupId, 'a hill')
  await phone.reload()
  await seeShown(phone, groupId, 'a hill')
  // The later one counts, and neither is lost before there is a network (P11).
  await phone.messenger.groups.changePicture(groupId, pictureOf('a lake'))
  await seeShown(phone, groupId, 'a lake')
  phone.network.goOnline()
  for (const device of [phone, tablet]) {
    await expect.poll(() => kindsOn(device, groupId)).toEqual(['create', 'picture', 'picture'])
    await expect.poll(() => shownOn(device, groupId)).toMatch(/^\/api\/media\//)
    await seeShown(device, groupId, 'a lake')
  }
  await tablet.messenger.groups.changePicture(groupId, null)
  expect(shownOn(tablet, groupId)).toBeNull()
  await expect.poll(() => shownOn(phone, groupId)).toBeNull()
})

test('P6: a picture that the group refuses comes back with the reason, and the group keeps its own', async () => {
  const { lab, ann, ben } = await openTestLab({ settings: { GROUPS: 'on' } })
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await lab.settle()
  const groupId = await phone.messenger.groups.create({ name: 'Walks', memberIds: [ben.userId] })
  await expect.poll(() => kindsOn(tablet, groupId)).toEqual(['create'])
  tablet.network.goOffline()
  await tablet.messenger.groups.changePicture(groupId, pictureOf('a hill'))
  await seeShown(tablet, groupId, 'a hill')
  await phone.messenger.groups.change(groupId, {
    kind: 'settings',
    settings: { whoChanges: 'admins' },
  })
  await expect.poll(() => kindsOn(phone, groupId)).toEqual(['create', 'settings'])
  tablet.network.goOnline()
  await expect
    .poll(() => tablet.messenger.requests.entries.getSnapshot())
    .toMatchObject([{ state: 'refused', problem: { code: 'admins_only' } }])
  expect(shownOn(tablet, groupId)).toBeNull()
})
