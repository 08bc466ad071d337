import { expect, test } from 'vitest'
import { openTestLab } from '../../lab/open-test-lab.ts'

test('how much of the files stays is a setting of this device: kept over a reload, gone with the data, and on no other device', async () => {
  const { ann } = await openTestLab()
  const [phone, laptop] = [await ann.device(), await ann.device()]
  const read = (device: typeof phone) => device.messenger.files.keeping.choice.getSnapshot()
  expect(read(phone)).toBe('auto')
  const before = phone.messenger.files.tidied.getSnapshot()
  phone.messenger.files.keeping.choose('little')
  expect(read(phone)).toBe('little')
  await expect.poll(() => phone.messenger.files.tidied.getSnapshot()).toBeGreaterThan(before)
  await phone.reload()
  expect([read(phone), read(laptop)]).toEqual(['little', 'auto'])
  await phone.messenger.erase()
  expect(phone.readText(`petrel-keep-${ann.userId}`)).toBeNull()
})
