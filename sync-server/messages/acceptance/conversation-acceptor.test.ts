import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type ConversationDocument,
  conversationDocument,
  newConversation,
} from '../../../schema/conversation.ts'
import { must } from '../../../schema/helpers/assertions.ts'
import { nameMessagesDatabase } from '../../storage/documents/database-names.ts'
import {
  openTestAcceptance,
  propose,
  type TestAcceptance,
  writeMessage,
} from '../../testing/open-test-acceptance.ts'

let t: TestAcceptance
const clock = { aheadMs: 0 }
beforeEach(async () => {
  clock.aheadMs = 0
  t = await openTestAcceptance({ now: () => Date.now() + clock.aheadMs })
})
afterEach(() => t.close())

async function say(content: string) {
  const message = writeMessage({ senderId: t.ann, recipientId: t.ben, content })
  const proposals = [propose(message)]
  await t.acceptance.acceptMessages({ actorId: t.ann, proposals })
  return must(await t.readMessage(t.ann, message._id), 'the message')
}

async function change(actorId: string, conversation: Partial<ConversationDocument>) {
  const _id = actorId === t.ann ? t.ben : t.ann
  const before = (await t.readConversation(actorId, _id)) ?? newConversation(_id)
  const proposals = [propose({ ...before, ...conversation })]
  return await t.acceptance.acceptConversations({ actorId, proposals })
}

const statuses = async () => (await t.readStatuses(t.ann)).map(({ status }) => status)
const historyOf = async (index: number) => (await t.readStatuses(t.ann))[index]?.history

describe('receipts', () => {
  test('are marks in the author’s conversation, each with the time; no copy is written again', async () => {
    const before = await t.storage.database(nameMessagesDatabase(t.ann)).updateSeq()
    const [, second] = [await say('1'), await say('2'), await say('3')]
    await change(t.ben, { deliveredUpTo: second.orderedAt })
    expect(await statuses()).toEqual(['delivered', 'delivered', 'sent'])
    await change(t.ben, { readUpTo: second.orderedAt })
    expect(await statuses()).toEqual(['read', 'read', 'sent'])
    expect(await historyOf(1)).toEqual(['sent', 'delivered', 'read'])
    const { peerMarks } = must(await t.readConversation(t.ann, t.ben), 'a conversation')
    expect(peerMarks.map(({ upTo }) => upTo)).toEqual([second.orderedAt, second.orderedAt])
    expect(await t.storage.database(nameMessagesDatabase(t.ann)).updateSeq()).toBe(
      Number(before) + 3,
    )
  })

  test('of a mark that jumps to read tell both', async () => {
    const message = await say('1')
    await change(t.ben, { readUpTo: message.orderedAt })
    expect(await historyOf(0)).toEqual(['sent', 'delivered', 'read'])
  })

  test('never go back, and repeated ones change nothing', async () => {
    const message = await say('1')
    await change(t.ben, { readUpTo: message.orderedAt })
    const before = await t.readConversation(t.ann, t.ben)
    await change(t.ben, { readUpTo: 0, deliveredUpTo: 0 })
    const [again] = await change(t.ben, { readUpTo: message.orderedAt })
    expect(again).toMatchObject({ kind: 'stored', doc: { readUpTo: message.orderedAt } })
    expect(await t.readConversation(t.ann, t.ben)).toEqual(before)
  })

  test('concern the other person’s messages only', async () => {
    const message = await say('1')
    await change(t.ann, { readUpTo: message.orderedAt })
    expect(await statuses()).toEqual(['sent'])
  })

  test('that come while a message is on its way to its author’s copy are not lost', async () => {
    const marks = Array.from({ length: 40 }, async (_, i) => {
      await say(String(i))
      await change(t.ben, { readUpTo: Date.now() + 60_000 })
    })
    await Promise.all(marks)
    await change(t.ben, { readUpTo: Date.now() + 60_000 })
    const readUpTo = (await t.readConversation(t.ben, t.ann))?.readUpTo ?? 0
    const told = await statuses()
    const late = (await t.readMessages(t.ann)).filter(
      ({ orderedAt }, index) => told[index] !== 'read' && orderedAt <= readUpTo,
    )
    expect(late).toEqual([])
  })

  test('of messages from before the clock was set back are told after a restart, too', async () => {
    await say('1')
    clock.aheadMs = 60 * 60 * 1000
    const { orderedAt } = await say('2')
    clock.aheadMs = 0
    t.restart()
    await change(t.ben, { readUpTo: orderedAt })
    expect(await t.readConversation(t.ben, t.ann)).toMatchObject({ readUpTo: orderedAt })
    expect(await statuses()).toEqual(['read', 'read'])
  })

  test('reach over thousands of messages', async () => {
    const messages = Array.from({ length: 2_500 }, (_, i) =>
      writeMessage({ senderId: t.ann, recipientId: t.ben, content: String(i), orderedAt: i }),
    )
    const proposals = messages.map(propose)
    await t.acceptance.acceptMessages({ actorId: t.ann, proposals })
    const last = must((await t.readMessages(t.ann)).at(-1), 'the last')
    await change(t.ben, { readUpTo: last.orderedAt })
    expect(new Set(await statuses())).toEqual(new Set(['read']))
  })

  test('are not told between people when one blocks the other', async () => {
    const message = await say('1')
    await t.relations.setBlocked(t.ben, t.ann, true)
    await change(t.ben, { readUpTo: message.orderedAt })
    expect(await statuses()).toEqual(['sent'])
  })

  test('of a time in which one blocked the other are not told after it either', async () => {
    const message = await say('1')
    await t.relations.setBlocked(t.ben, t.ann, true)
    await change(t.ben, { readUpTo: message.orderedAt })
    await t.relations.setBlocked(t.ben, t.ann, false)
    const later = await say('2')
    await change(t.ben, { readUpTo: later.orderedAt })
    expect(await statuses()).toEqual(['sent', 'read'])
  })

  test('never cover a message that was held back', async () => {
    await t.relations.setBlocked(t.ben, t.ann, true)
    await say('held')
    await t.relations.setBlocked(t.ben, t.ann, false)
    const second = await say('arrives')
    await change(t.ben, { readUpTo: second.orderedAt })
    expect(await statuses()).toEqual(['sent', 'read'])
  })
})

describe('a conversation', () => {
  test('P6: with parts that do not parse keeps the others', async () => {
    const raw = { _id: t.ann, isPinned: true, isPinnedAt: 5, readUpTo: 'all', isMuted: 7 }
    const proposals = [{ id: t.ann, raw, isDeleted: false }]
    const [outcome] = await t.acceptance.acceptConversations({ actorId: t.ben, proposals })
    expect(outcome).toMatchObject({ kind: 'stored', doc: { isPinned: true, readUpTo: 0 } })
    expect(conversationDocument.safeParse(outcome?.kind === 'stored' && outcome.doc).success).toBe(
      true,
    )
  })

  test('with somebody who is not there makes no database for them', async () => {
    const _id = '0190a000-0000-7000-8000-00000000000c'
    const open = t.storage.stats().open
    const proposals = [propose({ ...newConversation(_id), readUpTo: 5 } as ConversationDocument)]
    await t.acceptance.acceptConversations({ actorId: t.ben, proposals })
    expect(t.storage.stats().open).toBeLessThanOrEqual(open + 2)
  })

  test('P5: flags of two devices merge, whoever comes first', async () => {
    await Promise.all([
      change(t.ben, { isPinned: true, isPinnedAt: 10 }),
      change(t.ben, { isMuted: true, isMutedAt: 11 }),
      change(t.ben, { isPinned: false, isPinnedAt: 9 }),
    ])
    expect(await t.readConversation(t.ben, t.ann)).toMatchObject({ isPinned: true, isMuted: true })
  })
})
