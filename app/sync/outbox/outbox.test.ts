import { v7 as createId } from 'uuid'
import { expect, onTestFinished, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import type { LabDevice } from '../../lab/device/lab-device-types.ts'
import { untilLive } from '../../lab/device/read-conversation.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'
import type { OutboxItem, OutboxPage } from './outbox-types.ts'

const nobody = { userId: '01900000-0000-7000-8000-00000000ffff' }

async function start() {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await lab.settle()
  return { lab, ann, ben, phone, tablet }
}

async function open(device: LabDevice) {
  const view = await device.messenger.openOutbox()
  onTestFinished(view.close)
  const until = async (isIt: (page: OutboxPage) => boolean) => {
    await untilLive(view.page, (page) => page !== undefined && isIt(page))
    return must(view.page.getSnapshot(), 'page')
  }
  return { view, until }
}

const textsOf = (items: readonly OutboxItem[]) =>
  items.map((item) => (item.kind === 'request' ? item.entry.request.kind : item.message.content))

test('P6: the outbox lists what waits and what was refused over all chats, also after a reload', async () => {
  const { lab, ben, phone } = await start()
  await phone.say(nobody, 'to nobody')
  await lab.settle()
  phone.network.goOffline()
  await phone.say(ben, 'later')
  await phone.messenger.requests.add({ kind: 'report', userId: ben.userId, reason: 'shouts' })
  await untilLive(phone.messenger.outbox, ({ waiting }) => waiting === 2)
  await phone.reload()
  await untilLive(phone.messenger.outbox, (counts) => counts.waiting === 2 && counts.failed === 1)
  const { until } = await open(phone)
  const page = await until(({ waiting }) => waiting.length === 2)
  expect(textsOf(page.failed)).toEqual(['to nobody'])
  expect(textsOf(page.waiting)).toEqual(['report', 'later'])

  phone.network.goOnline()
  await lab.settle()
  await until(({ waiting }) => waiting.length === 0)
  await untilLive(phone.messenger.outbox, (counts) => counts.waiting === 0 && counts.failed === 1)
})

test('P6: everything that was refused is sent again at once', async () => {
  const { lab, ann, ben, phone, tablet } = await start()
  const ids = [await phone.say(nobody, 'one'), await phone.say(nobody, 'two')]
  await lab.settle()
  const { view, until } = await open(phone)
  await until(({ failed }) => failed.length === 2)
  await view.sendAllAgain()
  const attempts = async () => {
    const { messages } = await phone.stored()
    return ids.map((id) => messages.get(id)?.attempt)
  }
  expect(await attempts()).toEqual([2, 2])
  await phone.say(ben, 'hello')
  await lab.settle()
  expect((await tablet.read({ userId: ann.userId })).map(({ content }) => content)).toEqual([
    'hello',
  ])
})

test('changes of what was sent and of chats wait in words, and leave when the server has them', async () => {
  const { lab, ben, phone } = await start()
  const messageId = await phone.say(ben, 'come at noon')
  await lab.settle()
  phone.network.goOffline()
  const { until } = await open(phone)
  const { commands } = phone.messenger
  await commands.editMessage(messageId, 'come at one')
  await commands.setStarred(messageId, true)
  await commands.setArchived(ben.userId, true)
  const page = await until(({ changes }) => changes.flatMap(({ what }) => what).length === 3)
  expect(page.waiting).toEqual([])
  expect(Object.fromEntries(page.changes.map(({ id, what }) => [id, what]))).toEqual({
    [messageId]: ['edited', 'starred'],
    [ben.userId]: ['archived'],
  })
  phone.network.goOnline()
  await until(({ changes }) => changes.length === 0)
})

test('a discarded request leaves the outbox and comes back with Undo', async () => {
  const { ben, phone } = await start()
  phone.network.goOffline()
  const { requests, undo, outbox } = phone.messenger
  await requests.add({ kind: 'block', userId: ben.userId, blocked: true })
  await undo.removeRequest(must(requests.entries.getSnapshot()[0], 'request'))
  await untilLive(outbox, ({ waiting }) => waiting === 0)
  await undo.undo()
  await untilLive(outbox, ({ waiting }) => waiting === 1)
})

test('P12: a thousand waiting messages are read a hundred at a time', async () => {
  const { ben, phone } = await start()
  phone.network.goOffline()
  const id = await phone.say(ben, 'one of many')
  const one = must((await phone.stored()).messages.get(id), 'message')
  const others = Array.from({ length: 999 }, (_, at) => ({
    ...one,
    _id: createId(),
    orderedAt: at,
  }))
  await phone.plant(others)
  const { view, until } = await open(phone)
  const first = await until(() => true)
  expect(first.waiting.length).toBe(100)
  expect(first.hasMore).toBe(true)
  view.showMore()
  await until(({ waiting }) => waiting.length === 200)
  await untilLive(phone.messenger.outbox, ({ waiting }) => waiting === 1_000)
})

test('a withheld discard is gone from the outbox at once', async () => {
  const { lab, phone } = await start()
  const id = await phone.say(nobody, 'to nobody')
  await lab.settle()
  const { until } = await open(phone)
  const page = await until(({ failed }) => failed.length === 1)
  const [item] = page.failed
  if (item?.kind !== 'message') throw new Error('It is no message.')
  expect(item.id).toBe(id)
  await phone.messenger.undo.removeMessage(item.message)
  await until(({ failed }) => failed.length === 0)
  await untilLive(phone.messenger.outbox, ({ failed }) => failed === 0)
  await phone.messenger.undo.undo()
  await until(({ failed }) => failed.length === 1)
})

test('P6: a push that the network refuses tells its answer and when it is tried again', async () => {
  const { lab, ben, phone } = await start()
  phone.network.refuseWords('forbidden word', 403)
  const id = await phone.say(ben, 'a forbidden word')
  const { view, until } = await open(phone)
  const page = await until(({ waiting }) => waiting.length === 1)
  await untilLive(phone.messenger.setAside, (all) => all.has(id))
  const item = must(page.waiting[0], 'item')
  expect(view.findRefusedStatus(id)).toBe(403)
  expect(view.nextTryInMs(item)).toBeGreaterThan(0)
  phone.network.calm()
  phone.messenger.sendNow()
  await until(({ waiting }) => waiting.length === 0)
  await lab.settle()
})
