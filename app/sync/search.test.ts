import { expect, test } from 'vitest'
import { openTestLab } from '../lab/open-test-lab.ts'

test('P10: what is on the device is found without a network, in every conversation or in one', async () => {
  const { lab, ann, ben } = await openTestLab()
  const carl = await lab.person('carl')
  const phone = await ann.device()
  const theirs = await (await ben.device()).say(ann, 'The harbour at seven')
  await lab.settle()
  phone.network.goOffline()
  const own = await phone.say(carl, 'Meet me at the harbour')
  const find = async (text: string, peerId?: string) => {
    const request = { text, limit: 10, ...(peerId && { peerId }) }
    const { messages } = await phone.messenger.search.find(request)
    return messages.map(({ _id }) => _id).sort()
  }
  await expect.poll(() => find('harb')).toEqual([theirs, own].sort())
  expect(await find('HARBOUR', carl.userId)).toEqual([own])
})

test('P8: signing out takes the search index off the device too', async () => {
  const { lab, ann, ben } = await openTestLab()
  const phone = await ann.device()
  await phone.say(ben, 'nobody else may find this')
  await lab.settle()
  await phone.messenger.search.find({ text: 'nobody', limit: 10 })
  await phone.messenger.erase()
  expect(await phone.countStoredRecords()).toBe(0)
})
