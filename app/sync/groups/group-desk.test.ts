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
  await deskOf(phone).withdrawInvite(groupId, code)
  await phone.reload()
  await expect.poll(() => phone.messenger.requests.entries.getSnapshot()).toHaveLength(1)
  phone.network.goOnline()
  await invite.refresh().catch(() => {})
  await expect.poll(() => deskOf(phone).invite(groupId).getSnapshot()?.value).toBeNull()
  await deskOf(phone).invite(groupId).refresh()
  expect(deskOf(phone).invite(groupId).getSnapshot()?.value).toBeNull()
})

test('a link that is withdrawn late does not take a newer one with it', async () => {
  const { ann, phone, groupId } = await start()
  const desk = await ann.device()
  await deskOf(phone).makeInvite(groupId, { requiresApproval: false })
  const code = findCode(phone, groupId)
  phone.network.goOffline()
  await deskOf(phone).withdrawInvite(groupId, code)
  await deskOf(desk).makeInvite(groupId, { requiresApproval: true })
  const newer = findCode(desk, groupId)
  phone.network.goOnline()
  await expect.poll(() => phone.messenger.requests.entries.getSnapshot()).toEqual([])
  await deskOf(desk).invite(groupId).refresh()
  expect(findCode(desk, groupId)).toBe(newer)
})

test('P1 P6: who joins without a network is in once there is one, and reads why where the link holds no more', async () => {
  const { phone, tablet, groupId } = await start()
  await deskOf(phone).makeInvite(groupId, { requiresApproval: false })
  const code = findCode(phone, groupId)
  tablet.network.goOffline()
  await deskOf(tablet).join(code)
  await tablet.reload()
  tablet.network.goOnline()
  await expect
    .poll(() => tablet.messenger.groups.get(groupId).getSnapshot()?.members.length)
    .toBe(2)
  await expect.poll(() => tablet.messenger.requests.entries.getSnapshot()).toEqual([])

  await tablet.messenger.groups.change(groupId, { kind: 'leave' })
  await expect.poll(() => tablet.messenger.requests.entries.getSnapshot()).toEqual([])
  tablet.network.goOffline()
  await deskOf(tablet).join(code, 'Walks')
  await deskOf(phone).withdrawInvite(groupId, code)
  await expect.poll(() => deskOf(phone).invite(groupId).getSnapshot()?.value).toBeNull()
  tablet.network.goOnline()
  await expect
    .poll(() => tablet.messenger.requests.entries.getSnapshot())
    .toMatchObject([{ state: 'refused', problem: { code: 'invite_revoked' } }])
})

test('P1 P6: an answer to who asks to join waits for the network, and is refused in words where another admin was quicker', async () => {
  const { ann, ben, phone, tablet, groupId } = await start()
  const desk = await ann.device()
  await deskOf(phone).makeInvite(groupId, { requiresApproval: true })
  await deskOf(tablet).join(findCode(phone, groupId))
  const requests = deskOf(phone).requests(groupId)
  const hasAsked = async () => {
    await requests.refresh()
    return requests.getSnapshot()?.value.length
  }
  await expect.poll(hasAsked).toBe(1)
  phone.network.goOffline()
  const answer = { groupId, userId: ben.userId }
  await deskOf(phone).answerRequest({ ...answer, isAccepted: false })
  // The later of two answers counts.
  await deskOf(phone).answerRequest({ ...answer, isAccepted: true })
  await deskOf(phone).answerRequest({ ...answer, isAccepted: false })
  await expect
    .poll(() => phone.messenger.requests.entries.getSnapshot())
    .toMatchObject([{ request: { kind: 'join-answer', isAccepted: false } }])
  await deskOf(desk).answerRequest({ ...answer, isAccepted: true })
  await expect
    .poll(() => tablet.messenger.groups.get(groupId).getSnapshot()?.members.length)
    .toBe(2)
  phone.network.goOnline()
  await expect
    .poll(() => phone.messenger.requests.entries.getSnapshot())
    .toMatchObject([{ state: 'refused', problem: { code: 'request_not_found' } }])
  await expect.poll(() => deskOf(phone).requests(groupId).getSnapshot()?.value).toEqual([])
})

test('an admin’s device hears that somebody asks, and who asked that they are in', async () => {
  const { ben, phone, tablet, groupId } = await start()
  await deskOf(phone).makeInvite(groupId, { requiresApproval: true })
  const code = findCode(phone, groupId)
  let heard = 0
  deskOf(phone).onHint(() => (heard += 1))
  expect(await deskOf(tablet).preview(code)).toMatchObject({ name: 'Walks', state: 'outside' })
  await deskOf(tablet).join(code)
  await expect.poll(() => deskOf(tablet).preview(code)).toMatchObject({ state: 'waiting' })
  await expect.poll(() => heard).toBeGreaterThan(0)
  const requests = deskOf(phone).requests(groupId)
  await requests.refresh()
  expect(requests.getSnapshot()?.value).toMatchObject([{ userId: ben.userId }])
  await deskOf(phone).answerRequest({ groupId, userId: ben.userId, isAccepted: true })
  await expect.poll(() => requests.getSnapshot()?.value).toEqual([])
  await expect
    .poll(() => tablet.messenger.groups.get(groupId).getSnapshot()?.members.length)
    .toBe(2)
  await expect.poll(() => deskOf(tablet).preview(code)).toMatchObject({ groupId })
})

test('how far the others have read is asked for, and kept', async () => {
  const { ben, phone, tablet, groupId } = await start()
  await deskOf(phone).makeInvite(groupId, { requiresApproval: false })
  await deskOf(tablet).join(findCode(phone, groupId))
  await expect.poll(() => phone.messenger.groups.get(groupId).getSnapshot()?.members.length).toBe(2)
  const marks = deskOf(phone).marks(groupId)
  await marks.refresh()
  expect(marks.getSnapshot()?.value.marks.map(({ userId }) => userId)).toEqual([ben.userId])
  phone.network.goOffline()
  await phone.reload()
  await expect(deskOf(phone).marks(groupId).refresh()).rejects.toThrow()
  expect(deskOf(phone).marks(groupId).getSnapshot()?.value.marks).toHaveLength(1)
})
