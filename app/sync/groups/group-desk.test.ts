import { expect, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import type { LabDevice } from '../../lab/device/lab-device-types.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'

async function start() {
  const { lab, ann, ben } = await openTestLab({ settings: { GROUPS: 'on' } })
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await lab.settle()
  const groupId = await phone.messenger.groups.create({ name: 'Walks', memberIds: [] })
  await lab.settle()
  return { lab, ann, ben, phone, tablet, groupId }
}

const deskOf = (device: LabDevice) => device.messenger.groupDesk

const findCode = (device: LabDevice, groupId: string) =>
  must(deskOf(device).invite(groupId).getSnapshot()?.value, 'a link').code

test('a link that was made is there without a network and after a restart, with the time of the answer', async () => {
  const { phone, groupId } = await start()
  await deskOf(phone).makeInvite(groupId, { requiresApproval: false, usesMax: 5 })
  const code = findCode(phone, groupId)
  phone.network.goOffline()
  await phone.reload()
  const invite = deskOf(phone).invite(groupId)
  expect(invite.getSnapshot()).toBeUndefined()
  await expect(invite.refresh()).rejects.toThrow()
  expect(invite.getSnapshot()).toMatchObject({ value: { code, usesMax: 5, uses: 0 } })
  expect(must(invite.getSnapshot(), 'an answer').at).toBeGreaterThan(0)
  await expect(deskOf(phone).revokeInvite(groupId)).rejects.toThrow()
  expect(findCode(phone, groupId)).toBe(code)
  phone.network.goOnline()
  await expect
    .poll(() =>
      deskOf(phone)
        .revokeInvite(groupId)
        .then(
          () => true,
          () => false,
        ),
    )
    .toBe(true)
  expect(invite.getSnapshot()?.value).toBeNull()
  await invite.refresh()
  expect(invite.getSnapshot()?.value).toBeNull()
})

test('an admin’s device hears that somebody asks, and who asked that they are in', async () => {
  const { ben, phone, tablet, groupId } = await start()
  await deskOf(phone).makeInvite(groupId, { requiresApproval: true })
  const code = findCode(phone, groupId)
  let heard = 0
  deskOf(phone).onHint(() => (heard += 1))
  expect(await deskOf(tablet).preview(code)).toMatchObject({ name: 'Walks', state: 'outside' })
  expect(await deskOf(tablet).join(code)).toBeUndefined()
  expect(await deskOf(tablet).preview(code)).toMatchObject({ state: 'waiting' })
  await expect.poll(() => heard).toBeGreaterThan(0)
  const requests = deskOf(phone).requests(groupId)
  await requests.refresh()
  expect(requests.getSnapshot()?.value).toMatchObject([{ userId: ben.userId }])
  await deskOf(phone).answerRequest({ groupId, userId: ben.userId, isAccepted: true })
  expect(requests.getSnapshot()?.value).toEqual([])
  await expect
    .poll(() => tablet.messenger.groups.get(groupId).getSnapshot()?.members.length)
    .toBe(2)
  expect(await deskOf(tablet).join(code)).toBe(groupId)
})

test('how far the others have read is asked for, and kept', async () => {
  const { ben, phone, tablet, groupId } = await start()
  await deskOf(phone).makeInvite(groupId, { requiresApproval: false })
  await deskOf(tablet).join(findCode(phone, groupId))
  const marks = deskOf(phone).marks(groupId)
  await marks.refresh()
  expect(marks.getSnapshot()?.value.marks.map(({ userId }) => userId)).toEqual([ben.userId])
  phone.network.goOffline()
  await phone.reload()
  await expect(deskOf(phone).marks(groupId).refresh()).rejects.toThrow()
  expect(deskOf(phone).marks(groupId).getSnapshot()?.value.marks).toHaveLength(1)
})
