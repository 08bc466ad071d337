import { expect, test } from 'vitest'
import { must } from '../../schema/helpers/assertions.ts'
import { untilLive } from '../lab/device/read-conversation.ts'
import { openTestLab } from '../lab/open-test-lab.ts'

test('several tabs of one device hold one copy of everything, all live', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  const second = await phone.openTab()
  const first = must(phone.tabs[0], 'the first tab')
  await second.messenger.commands.sendMessage({
    peerId: ben.userId,
    content: 'from the second tab',
  })
  await lab.settle()
  await tablet.say(ann, 'to both tabs')
  await lab.settle()
  for (const { messenger } of [first, second]) {
    const view = messenger.openConversation(ben.userId)
    const { items } = await untilLive(view.messages, ({ items }) => items.length === 2)
    expect(items.map(({ content }) => content)).toEqual(['from the second tab', 'to both tabs'])
    view.close()
  }
})

test('P1: a tab that is frozen in the background holds up nothing: the one in front syncs', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  const frozen = must(phone.tabs[0], 'the first tab')
  const front = await phone.openTab()
  const { connection } = frozen.messenger
  await untilLive(front.messenger.connection, ({ state }) => state === 'live')
  const before = connection.getSnapshot().lastSyncedAt ?? 0
  frozen.page.setVisible(true)
  await untilLive(connection, ({ lastSyncedAt = 0 }) => lastSyncedAt > before)
  frozen.page.setVisible(false)
  frozen.freeze()
  front.page.setVisible(true)
  await front.messenger.commands.sendMessage({ peerId: ben.userId, content: 'past the frozen one' })
  await tablet.say(ann, 'and back')
  await lab.settle()
  expect((await tablet.read(ann)).map(({ content }) => content).toSorted()).toEqual([
    'and back',
    'past the frozen one',
  ])
})

test('P12: only the tab that syncs is given what is written; it gives that up with the lead', async () => {
  const { lab, ann, ben } = await openTestLab()
  const phone = await ann.device()
  const { stats } = lab.server
  await expect.poll(stats).toMatchObject({ sockets: 1, followed: 2 })
  const first = must(phone.tabs[0], 'the first tab')
  first.page.setVisible(false)
  const second = await phone.openTab()
  await phone.say(ben, 'by either')
  await lab.settle()
  await expect.poll(stats).toMatchObject({ sockets: 2, followed: 2 })
  await second.close()
  await expect.poll(stats).toMatchObject({ sockets: 1, followed: 2 })
})

test('when the tab that syncs is closed, one that is hidden goes on', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  const first = must(phone.tabs[0], 'the first tab')
  first.page.setVisible(false)
  const second = await phone.openTab()
  await second.close()
  await phone.say(ben, 'from the one that is left')
  await lab.settle()
  expect(await tablet.read(ann)).toMatchObject([{ content: 'from the one that is left' }])
})
