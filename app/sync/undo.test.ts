import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { expect, test } from 'vitest'
import { must } from '../../schema/helpers/assertions.ts'
import { claimTabSlot } from '../database/drafts/tab-slot.ts'
import { openDeviceStore, type WithheldChange } from '../database/storage/open-device-store.ts'
import { untilLive } from '../lab/device/read-conversation.ts'
import { createLabLocks } from '../lab/kit/locks.ts'
import { createLabPage } from '../lab/kit/page.ts'
import { openTestLab } from '../lab/open-test-lab.ts'
import { createUndo } from './undo.ts'

async function start() {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  const id = await phone.say(ben, 'a mistake')
  await lab.settle()
  const view = phone.messenger.openConversation(ben.userId)
  const { items } = await untilLive(view.messages, ({ items }) => items.length === 1)
  const shown = () => view.messages.getSnapshot().items.map(({ content }) => content)
  const stored = async () => (await phone.stored()).messages.get(id)
  return { lab, ann, ben, phone, tablet, id, message: must(items[0], 'a message'), shown, stored }
}

test('a deletion is hidden at once, and written when its time is over', async () => {
  const { lab, ben, phone, message, shown, stored, tablet, ann } = await start()
  const { undo, conversations, messages } = phone.messenger
  await undo.removeMessage(message)
  expect(undo.offer.getSnapshot()).toMatchObject({ words: 'Message deleted', canUndo: true })
  expect(shown()).toEqual([''])
  expect(messages.get(message._id).getSnapshot()?.content ?? '').toBe('')
  const row = conversations.getSnapshot().find(({ peerId }) => peerId === ben.userId)
  expect(row?.lastMessage?.content).toBe('')
  expect((await stored())?.content).toBe('a mistake')
  await untilLive(undo.offer, (offer) => offer === undefined)
  await expect.poll(async () => (await stored())?.deletedAt).toBeDefined()
  expect(shown()).toEqual([''])
  await lab.settle()
  expect((await tablet.read(ann))[0]?.deletedAt).toBeDefined()
})

test('what is undone was never deleted, and nobody else has heard of it', async () => {
  const { lab, phone, message, shown, tablet, ann } = await start()
  const { undo } = phone.messenger
  await undo.removeMessage(message)
  await undo.undo()
  expect(undo.offer.getSnapshot()).toBeUndefined()
  expect(shown()).toEqual(['a mistake'])
  await phone.reload()
  await lab.settle()
  expect((await tablet.read(ann)).map(({ content }) => content)).toEqual(['a mistake'])
})

test('P2: a pending message that is accepted before it is withdrawn is deleted, and undo sends nothing', async () => {
  const { lab, phone, message, shown, tablet, ann } = await start()
  const { undo } = phone.messenger
  await undo.removeMessage({ ...message, status: 'sending' })
  expect(undo.offer.getSnapshot()).toMatchObject({ words: 'Message deleted', canUndo: true })
  expect(shown()).toEqual([''])
  await undo.undo()
  expect(shown()).toEqual(['a mistake'])
  await lab.settle()
  expect((await tablet.read(ann)).map(({ content }) => content)).toEqual(['a mistake'])
})

test('while somebody looks at it its time stands still; the next one ends the one before', async () => {
  const { ben, phone, message, stored } = await start()
  const { undo, commands } = phone.messenger
  const other = await commands.sendMessage({ peerId: ben.userId, content: 'another' })
  const second = { ...message, _id: other, content: 'another' }
  await undo.removeMessage(message)
  undo.hold(true)
  await undo.removeMessage(second)
  await expect.poll(async () => (await stored())?.deletedAt).toBeDefined()
  expect(undo.offer.getSnapshot()).toMatchObject({ canUndo: true })
  await undo.undo()
  expect((await phone.stored()).messages.get(other)?.content).toBe('another')
})

test('it is written when the page goes out of sight', async () => {
  const { phone, message, stored } = await start()
  await phone.messenger.undo.removeMessage(message)
  must(phone.tabs[0], 'a tab').page.setVisible(false)
  await expect.poll(async () => (await stored())?.deletedAt).toBeDefined()
  expect(phone.messenger.undo.offer.getSnapshot()).toBeUndefined()
})

test('P1: a tab that is killed before the time is over owes the deletion, and the next start writes it', async () => {
  const { phone, message, stored } = await start()
  await phone.messenger.undo.removeMessage(message)
  // No later write of it reaches the disk, as after a kill.
  phone.disk.fillUp('messages')
  await phone.close()
  phone.disk.makeRoom()
  expect((await stored())?.deletedAt).toBeUndefined()
  await phone.reload()
  await expect.poll(async () => (await stored())?.deletedAt).toBeDefined()
})

test('P6: a deletion that the device cannot store is shown again, and that is told', async () => {
  const { phone, message, shown } = await start()
  const { undo } = phone.messenger
  await undo.removeMessage(message)
  phone.disk.fillUp('messages')
  await untilLive(undo.offer, (offer) => offer?.canUndo === false)
  expect(undo.offer.getSnapshot()?.words).toContain("couldn't be saved")
  expect(shown()).toEqual(['a mistake'])
  phone.disk.makeRoom()
})

test('a tab that opens meanwhile shows it as deleted and leaves the writing to the tab that owes it', async () => {
  const { ben, phone, message, stored } = await start()
  const first = phone.messenger
  await first.undo.removeMessage(message)
  first.undo.hold(true)
  const second = await phone.openTab()
  const view = second.messenger.openConversation(ben.userId)
  const { items } = await untilLive(view.messages, ({ items }) => items.length === 1)
  expect(items[0]?.content).toBe('')
  expect((await stored())?.content).toBe('a mistake')
  await first.undo.undo()
  await untilLive(view.messages, ({ items }) => items[0]?.content === 'a mistake')
})

test('a chat that is deleted goes at once with what it holds then, and comes back when that is undone', async () => {
  const { lab, ann, ben, phone, tablet, shown } = await start()
  const { undo, conversations } = phone.messenger
  const hasRow = () => conversations.getSnapshot().some(({ peerId }) => peerId === ben.userId)
  await undo.clearConversation(ben.userId)
  expect(hasRow()).toBe(false)
  expect(shown()).toEqual([])
  await undo.undo()
  expect(hasRow()).toBe(true)
  expect(shown()).toEqual(['a mistake'])
  await undo.clearConversation(ben.userId)
  undo.hold(true)
  await tablet.say(ann, 'meanwhile')
  await expect.poll(shown).toEqual(['meanwhile'])
  undo.hold(false)
  await untilLive(undo.offer, (offer) => offer === undefined)
  await lab.settle()
  await phone.reload()
  expect((await phone.read(ben)).map(({ content }) => content)).toEqual(['meanwhile'])
})

test('a chat that comes back by a new message begins with that, not with unread ones that went', async () => {
  const { lab, ann, ben, phone, tablet } = await start()
  const { undo, conversations } = phone.messenger
  for (let count = 1; count <= 60; count += 1) await tablet.say(ann, `unread ${count}`)
  await lab.settle()
  await undo.clearConversation(ben.userId)
  undo.hold(true)
  await tablet.say(ann, 'are you there?')
  const hasRow = () => conversations.getSnapshot().some(({ peerId }) => peerId === ben.userId)
  await expect.poll(hasRow).toBe(true)
  const view = phone.messenger.openConversation(ben.userId, { startsAtUnread: true })
  const { items } = await untilLive(view.messages, ({ isLoaded }) => isLoaded)
  expect(items.map(({ content }) => content)).toEqual(['are you there?'])
  undo.hold(false)
})

test('nothing leads to a message of a chat that is deleted, until that is undone', async () => {
  const { ben, phone, id, shown } = await start()
  const { undo } = phone.messenger
  const view = phone.messenger.openConversation(ben.userId)
  await undo.clearConversation(ben.userId)
  expect(await view.jumpTo(id)).toBe(false)
  expect(await view.jumpToTime(0)).toBeUndefined()
  expect(shown()).toEqual([])
  await undo.undo()
  expect(await view.jumpTo(id)).toBe(true)
  expect(await view.jumpToTime(0)).toBe(id)
})

test('P1: what a tab noted and did not write is written by another as soon as the tab is gone', async () => {
  const locks = createLabLocks()
  const device = await openDeviceStore({
    name: 'ann',
    indexedDB: new IDBFactory(),
    IDBKeyRange,
  })
  const written: WithheldChange[] = []
  const open = async () => {
    const slot = await claimTabSlot({ locks, name: 'ann' })
    const undo = await createUndo({
      table: device.withheld,
      slot,
      commands: {} as Parameters<typeof createUndo>[0]['commands'],
      findClearPlace: async () => 7,
      apply: async (change) => void written.push(change),
      requests: { add: async () => '', discard: async () => {} },
      page: createLabPage(),
      now: Date.now,
      onError(cause) {
        throw cause
      },
    })
    return { undo, slot }
  }
  const [dying, other] = [await open(), await open()]
  await dying.undo.clearConversation('ben')
  dying.undo.hold(true)
  await untilLive(other.undo.withheld, ({ cleared }) => cleared.get('ben') === 7)
  expect(written).toEqual([])
  dying.slot.release()
  await untilLive(other.undo.withheld, ({ cleared }) => cleared.size === 0)
  expect(written).toEqual([{ kind: 'clear', peerId: 'ben', upTo: 7 }])
  await other.undo.close()
  device.close()
})

test('what waits in a chat that is deleted is not sent, and is there again when that is undone', async () => {
  const { lab, ann, ben, phone, tablet } = await start()
  phone.network.goOffline()
  // A line that breaks may have taken what was said before it broke.
  await phone.reload()
  const { undo } = phone.messenger
  const shown = async () => (await phone.read(ben)).map(({ content }) => content)
  const id = await phone.say(ben, 'a regret')
  await undo.clearConversation(ben.userId)
  expect(await shown()).toEqual([])
  await undo.undo()
  expect(await shown()).toEqual(['a mistake', 'a regret'])
  await undo.clearConversation(ben.userId)
  // Another action ends the offer.
  await undo.setArchived(ben.userId, false)
  const stored = async () => (await phone.stored()).messages.get(id)
  await expect.poll(async () => (await stored())?.deletedAt).toBeDefined()
  phone.network.goOnline()
  await tablet.say(ann, 'after it')
  await lab.settle()
  expect((await tablet.read(ann)).map(({ content }) => content)).toEqual(['a mistake', 'after it'])
  expect(await shown()).toEqual(['after it'])
})

test('an archived chat comes back; a pending message is withdrawn immediately, and undo writes it again', async () => {
  const { ben, phone, lab } = await start()
  const { undo, conversations, commands } = phone.messenger
  const row = () => conversations.getSnapshot().find(({ peerId }) => peerId === ben.userId)
  await undo.setArchived(ben.userId, true)
  await untilLive(conversations, () => row()?.isArchived === true)
  await undo.undo()
  await untilLive(conversations, () => row()?.isArchived === false)
  phone.network.goOffline()
  const id = await commands.sendMessage({ peerId: ben.userId, content: 'not yet' })
  const message = must(
    (await phone.read(ben)).find(({ _id }) => _id === id),
    'the message',
  )
  await undo.removeMessage(message)
  expect((await phone.stored()).messages.get(id)?.deletedAt).toBeDefined()
  await undo.undo()
  const words = (await phone.read(ben)).map(({ content }) => content)
  expect(words).toEqual(['a mistake', 'not yet'])
  phone.network.goOnline()
  await lab.settle()
})

test('a chat is unpinned again, and one is read once that can no longer be undone', async () => {
  const { ann, ben, phone, tablet, lab } = await start()
  const { undo, conversations } = phone.messenger
  const row = () => conversations.getSnapshot().find(({ peerId }) => peerId === ben.userId)
  await undo.setPinned(ben.userId, true)
  await untilLive(conversations, () => row()?.isPinned === true)
  await undo.undo()
  await untilLive(conversations, () => row()?.isPinned === false)
  await tablet.say(ann, 'are you there?')
  await lab.settle()
  await untilLive(conversations, () => row()?.unreadCount === 1)
  undo.markRead(ben.userId)
  expect(undo.offer.getSnapshot()?.readsPeerId).toBe(ben.userId)
  await undo.undo()
  expect(row()?.unreadCount).toBe(1)
  undo.markRead(ben.userId)
  // Another action ends the offer.
  await undo.setPinned(ben.userId, true)
  await untilLive(conversations, () => row()?.unreadCount === 0)
})

test('P6: what the device cannot even note is refused at once, and nothing is hidden', async () => {
  const { phone, message, shown } = await start()
  const { undo } = phone.messenger
  phone.disk.fillUp()
  await expect(undo.removeMessage(message)).rejects.toThrow()
  expect(undo.offer.getSnapshot()).toBeUndefined()
  expect(shown()).toEqual(['a mistake'])
  phone.disk.makeRoom()
})

test('P5: deleted for oneself, it is gone on each own device and nowhere else, and Undo brings it back', async () => {
  const { lab, ann, ben, phone, message, shown, stored, tablet } = await start()
  const laptop = await ann.device()
  const { undo, commands, messages, conversations } = phone.messenger
  await commands.setStarred(message._id, true)
  expect(await undo.hideMessages([message])).toEqual([])
  expect(undo.offer.getSnapshot()).toMatchObject({
    words: 'Message deleted for you',
    peerId: ben.userId,
  })
  await expect.poll(shown).toEqual([])
  await untilLive(messages.get(message._id), (now) => now?.content === '')
  await untilLive(conversations, ([row]) => row !== undefined && !row.lastMessage)
  await undo.undo()
  await expect.poll(shown).toEqual(['a mistake'])
  await undo.hideMessages([message])
  await tablet.messenger.commands.setReaction(message._id, '👍')
  await lab.settle()
  expect(await laptop.read(ben)).toEqual([])
  expect((await tablet.read(ann)).map(({ content }) => content)).toEqual(['a mistake'])
  expect(await stored()).toMatchObject({ shelf: '', starOrder: 1, isHidden: true })
})
