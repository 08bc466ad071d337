import { expect, test } from 'vitest'
import type { LabDevice } from '../../lab/device/lab-device-types.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'
import { isEncrypted } from './encryption-states.ts'

const trustOf = (device: LabDevice, peerId: string) =>
  device.messenger.encryption.trustIn(peerId).getSnapshot()

/** Reads this person's record, as a screen about them does. */
const look = (device: LabDevice, peerId: string) => device.messenger.users.load(peerId)

test('P13: both sides read the same 60 digits, and others where a key is another', async () => {
  const { ann, ben } = await openTestLab({}, { hasKeys: true })
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await look(phone, ben.userId)
  await look(tablet, ann.userId)
  const number = phone.messenger.encryption.readSafetyNumber(ben.userId)
  expect(number).toMatch(/^\d{60}$/)
  expect(tablet.messenger.encryption.readSafetyNumber(ann.userId)).toBe(number)
  await ben.makeKeys()
  await look(phone, ben.userId)
  expect(phone.messenger.encryption.readSafetyNumber(ben.userId)).not.toBe(number)
  // This tablet lacks Ben's new keys: no digits of former ones.
  await look(tablet, ben.userId)
  expect(tablet.messenger.encryption.readSafetyNumber(ann.userId)).toBeUndefined()
})

test('P13: a mark follows the person to their devices, and another key of either side takes it away', async () => {
  const { lab, ann, ben } = await openTestLab({}, { hasKeys: true })
  const [phone, laptop] = [await ann.device(), await ann.device()]
  await look(phone, ben.userId)
  await look(laptop, ben.userId)
  const trusts = [phone, laptop].map((device) => () => trustOf(device, ben.userId).isVerified)
  const { encryption } = phone.messenger
  const number = encryption.readSafetyNumber(ben.userId) ?? ''
  await encryption.verify(ben.userId, number)
  for (const isVerified of trusts) await expect.poll(isVerified).toBe(true)
  await encryption.unverify(ben.userId)
  for (const isVerified of trusts) await expect.poll(isVerified).toBe(false)
  await encryption.verify(ben.userId, number)
  for (const isVerified of trusts) await expect.poll(isVerified).toBe(true)

  await ben.makeKeys()
  await look(phone, ben.userId)
  expect(trustOf(phone, ben.userId).isVerified).toBe(false)
  await expect(encryption.verify(ben.userId, number)).rejects.toThrow('changed meanwhile')
  const next = encryption.readSafetyNumber(ben.userId) ?? ''
  await encryption.verify(ben.userId, next)
  expect(trustOf(phone, ben.userId).isVerified).toBe(true)
  await lab.settle()
  await ann.makeKeys()
  await phone.reload()
  await look(phone, ben.userId)
  expect(trustOf(phone, ben.userId).isVerified).toBe(false)
})

test('P13: a device without its keys says that a chat is locked: nothing is told in plain for it', async () => {
  const { lab, ann, ben } = await openTestLab({}, { hasKeys: true })
  const phone = await ann.device()
  const stateOf = () => phone.messenger.encryption.of(ben.userId).getSnapshot()
  await look(phone, ben.userId)
  expect(stateOf()).toBe('sealed')
  await lab.settle()
  await lab.server.kill()
  await phone.loseStorage()
  await lab.server.start()
  await look(phone, ann.userId)
  await look(phone, ben.userId)
  expect(stateOf()).toBe('locked')
  expect(isEncrypted(stateOf())).toBe(true)
  await phone.access.unlock()
  await expect.poll(stateOf).toBe('sealed')
})

test('P13: a group says who in it has no keys, until all have some', async () => {
  const { lab, ann, ben } = await openTestLab({ settings: { GROUPS: 'on' } }, { hasKeys: true })
  const cyd = await lab.person('cyd')
  const phone = await ann.device()
  await lab.settle()
  await look(phone, ben.userId)
  await look(phone, cyd.userId)
  const memberIds = [ben.userId, cyd.userId]
  const groupId = await phone.messenger.groups.create({ name: 'Walks', memberIds })
  const { encryption } = phone.messenger
  const keyless = encryption.keylessIn(groupId)
  expect(encryption.of(groupId).getSnapshot()).toBe('plain')
  expect(keyless.getSnapshot()).toEqual([cyd.userId])
  await cyd.makeKeys()
  await look(phone, cyd.userId)
  expect(keyless.getSnapshot()).toEqual([])
  expect(encryption.of(groupId).getSnapshot()).toBe('sealed')
})

test('P13: a server cannot mark a person', async () => {
  const { ann, ben } = await openTestLab({}, { hasKeys: true })
  const phone = await ann.device()
  await look(phone, ben.userId)
  const { settings } = phone.messenger
  await settings.setProof(ben.userId, 'A'.repeat(22))
  expect(settings.proofs.getSnapshot()[ben.userId]).toBe('A'.repeat(22))
  expect(trustOf(phone, ben.userId).isVerified).toBe(false)
})

test('a key that changes is noted once, with its time, and over a reload; the first is no change', async () => {
  const { ann, ben } = await openTestLab({}, { hasKeys: true })
  const phone = await ann.device()
  await look(phone, ben.userId)
  expect(trustOf(phone, ben.userId).changedAt).toEqual([])
  const before = phone.messenger.now()
  await ben.makeKeys()
  // Two at once: this device has seen one change.
  await ben.makeKeys()
  await look(phone, ben.userId)
  await look(phone, ben.userId)
  const { changedAt } = trustOf(phone, ben.userId)
  expect(changedAt).toEqual([expect.any(Number)])
  expect(changedAt[0]).toBeGreaterThanOrEqual(before)
  await phone.reload()
  expect(trustOf(phone, ben.userId).changedAt).toEqual(changedAt)
  await ben.makeKeys()
  await look(phone, ben.userId)
  expect(trustOf(phone, ben.userId).changedAt).toHaveLength(2)
  const laptop = await ann.device()
  await look(laptop, ben.userId)
  expect(trustOf(laptop, ben.userId).changedAt).toEqual([])
})
