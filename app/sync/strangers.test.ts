import { expect, test } from 'vitest'
import { nameOf } from '../database/storage/known-peer.ts'
import { openTestLab } from '../lab/open-test-lab.ts'

test('somebody who registers and writes while a device is open has a name in its list', async () => {
  const { lab, ann } = await openTestLab()
  const phone = await ann.device()
  await lab.settle()
  const zoe = await lab.person('zoe')
  await (await zoe.device()).say(ann, 'we have not met')
  const names = () => phone.messenger.conversations.getSnapshot().map((row) => nameOf(row.peer))
  await expect.poll(names).toEqual(['zoe'])
})
