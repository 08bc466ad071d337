import { expect, test } from 'vitest'
import { openTestLab } from '../../lab/open-test-lab.ts'

test('P10: the signed-in devices are there without a network, as they were last known and since when', async () => {
  const { ann } = await openTestLab()
  const phone = await ann.device()
  expect(await phone.messenger.signIns.readKnown()).toBeUndefined()
  const known = await phone.messenger.signIns.read()
  expect(known.sessions.filter(({ isCurrent }) => isCurrent)).toHaveLength(1)
  phone.network.goOffline()
  await phone.reload()
  await expect(phone.messenger.signIns.read()).rejects.toThrow()
  expect(await phone.messenger.signIns.readKnown()).toMatchObject(known)
})

test('P10: what was known of the signed-in devices leaves the device with the data', async () => {
  const { ann } = await openTestLab()
  const phone = await ann.device()
  await phone.messenger.signIns.read()
  await phone.messenger.erase()
  await phone.reload()
  expect(await phone.messenger.signIns.readKnown()).toBeUndefined()
})
