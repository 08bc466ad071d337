import { expect, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { untilLive } from '../../lab/device/read-conversation.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'

test('P11: what is unsent is counted from what is stored, in whichever tab, and on a full disk', async () => {
  const { lab, ann, ben } = await openTestLab()
  const phone = await ann.device()
  await phone.say(ben, 'there already')
  await lab.settle()
  const front = await phone.openTab()
  const hidden = must(phone.tabs[0], 'the first tab')
  expect(await front.messenger.countUnsent()).toBe(0)
  phone.network.goOffline()
  for (const text of ['one', 'two']) {
    await front.messenger.commands.sendMessage({ peerId: ben.userId, content: text })
  }
  await front.messenger.commands.setPinned(ben.userId, true)
  expect(await front.messenger.countUnsent()).toBe(3)
  expect(await hidden.messenger.countUnsent()).toBe(3)
  phone.disk.fillUp()
  expect(await front.messenger.countUnsent()).toBe(3)
  expect(await hidden.messenger.countUnsent()).toBe(3)
  phone.disk.makeRoom()
  phone.network.goOnline()
  await expect.poll(() => hidden.messenger.countUnsent()).toBe(0)
})

test('while messages flow the app is online, whatever the browser says of the network', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  const { page, messenger } = must(phone.tabs[0], 'the first tab')
  await lab.settle()
  page.setOnline(false)
  await tablet.say(ann, 'it flows')
  await expect
    .poll(async () => (await phone.read(ben)).map(({ content }) => content))
    .toEqual(['it flows'])
  await untilLive(messenger.connection, ({ state }) => state === 'live')
  phone.network.goDark()
  await untilLive(messenger.connection, ({ state }) => state === 'offline')
})
