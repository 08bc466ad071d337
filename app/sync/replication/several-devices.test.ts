import { expect, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'

const twoHours = 2 * 60 * 60 * 1000

test('P5: two devices of one person edit, star and delete the same message offline, and agree', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, laptop, tablet] = [await ann.device(), await ann.device(), await ben.device()]
  const ids = [
    await phone.say(ben, 'one'),
    await phone.say(ben, 'two'),
    await phone.say(ben, 'three'),
  ]
  const [one = '', two = '', three = ''] = ids
  await lab.settle()
  phone.network.goOffline()
  laptop.network.goOffline()
  await phone.messenger.commands.editMessage(one, 'one, from the phone')
  await laptop.messenger.commands.editMessage(one, 'one, from the laptop')
  await laptop.messenger.commands.setStarred(one, true)
  await phone.messenger.commands.deleteMessage(two)
  await laptop.messenger.commands.editMessage(two, 'two, edited too late')
  await phone.messenger.commands.deleteMessage(three)
  await laptop.messenger.commands.deleteMessage(three)
  phone.network.goOnline()
  await lab.settle()
  laptop.network.goOnline()
  await lab.settle()
  await lab.expectConverged()
  expect(await tablet.read(ann)).toMatchObject([
    { content: 'one, from the laptop', isStarred: false },
    { content: '' },
    { content: '' },
  ])
  const [onPhone, deleted] = await phone.read(ben)
  expect(onPhone).toMatchObject({ content: 'one, from the laptop', isStarred: true })
  expect(must(deleted?.refused, 'the refused edit')).toMatchObject({
    code: 'deleted',
    content: 'two, edited too late',
  })
})

test.for([twoHours, -twoHours])(
  'P5: a device whose clock is wrong by %i ms neither wins nor loses by it',
  async (clockAheadMs) => {
    const { lab, ann, ben } = await openTestLab()
    const [wrong, right] = [await ann.device({ clockAheadMs }), await ann.device()]
    const tablet = await ben.device()
    await lab.settle()
    wrong.network.goOffline()
    const id = await wrong.say(ben, 'from the wrong clock')
    await wrong.messenger.commands.setPinned(ben.userId, true)
    await right.say(ben, 'from the right clock')
    await lab.settle()
    wrong.network.goOnline()
    await lab.settle()
    await wrong.messenger.commands.editMessage(id, 'edited with the wrong clock')
    await lab.settle()
    await right.messenger.commands.editMessage(id, 'edited with the right clock')
    await right.messenger.commands.setPinned(ben.userId, false)
    await lab.settle()
    await lab.expectConverged()
    const texts = (await tablet.read(ann)).map(({ content }) => content)
    expect(texts).toEqual(['from the right clock', 'edited with the right clock'])
    const rows = () => wrong.messenger.conversations.getSnapshot()
    await expect.poll(rows).toMatchObject([{ isPinned: false }])
    const written = must((await tablet.read(ann))[1], 'message').createdAt
    expect(Math.abs(written - Date.now())).toBeLessThan(twoHours / 2)
  },
)

test('receipts rise on every device: arrived on one, read on one, told once', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, laptop] = [await ann.device(), await ann.device()]
  await phone.say(ben, 'hello')
  await lab.settle()
  expect((await laptop.read(ben)).map(({ status }) => status)).toEqual(['sent'])
  const tablet = await ben.device()
  const watch = await ben.device()
  await lab.settle()
  expect((await laptop.read(ben)).map(({ status }) => status)).toEqual(['delivered'])
  await watch.messenger.commands.markRead(ann.userId)
  await lab.settle()
  await lab.expectConverged()
  for (const device of [phone, laptop]) {
    const [message] = await device.read(ben)
    expect(message?.statusHistory.map(({ status }) => status)).toEqual([
      'sent',
      'delivered',
      'read',
    ])
  }
  const rows = () => tablet.messenger.conversations.getSnapshot()
  await expect.poll(rows).toMatchObject([{ unreadCount: 0 }])
})

test('a conversation that was cleared on one device is empty on the other, until somebody writes', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, laptop, tablet] = [await ann.device(), await ann.device(), await ben.device()]
  await tablet.say(ann, 'old')
  await lab.settle()
  await phone.messenger.commands.clearConversation(ben.userId)
  await lab.settle()
  expect(await laptop.read(ben)).toEqual([])
  await expect.poll(() => laptop.messenger.conversations.getSnapshot()).toEqual([])
  await tablet.say(ann, 'new')
  await lab.settle()
  expect((await laptop.read(ben)).map(({ content }) => content)).toEqual(['new'])
  expect((await tablet.read(ann)).map(({ content }) => content)).toEqual(['old', 'new'])
})

test('P7: one side of the first version goes on with requests that wait, beside one of the second', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [old, fresh] = [await ann.device(), await ben.device()]
  const { stats } = lab.server
  await expect.poll(stats).toMatchObject({ sockets: 2, followed: 4 })
  old.network.speakFirstVersion()
  // A first-version server closes a socket on an unknown event.
  await expect.poll(stats).toMatchObject({ sockets: 2, followed: 2 })
  const [polls, freshPolls] = [old, fresh].map(({ network }) => network.countPolls())
  for (const text of ['one', 'two', 'three']) {
    await old.say(ben, `${text} from Ann`)
    await fresh.say(ann, `${text} from Ben`)
    await lab.settle()
  }
  await lab.expectConverged()
  expect(old.network.countPolls()).toBeGreaterThan(polls ?? 0)
  expect(fresh.network.countPolls()).toBe(freshPolls)
  expect(stats()).toMatchObject({ sockets: 2, followed: 2 })
})
