import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { MessageDocument } from '../../../schema/message.ts'
import {
  openTestAcceptance,
  propose,
  type TestAcceptance,
  writeMessage,
} from '../../testing/open-test-acceptance.ts'

let t: TestAcceptance
beforeEach(async () => {
  t = await openTestAcceptance()
})
afterEach(() => t.close())

async function accept(actorId: string, ...messages: { _id: string }[]) {
  const proposals = messages.map(propose)
  return await t.acceptance.acceptMessages({ actorId, proposals })
}

const fromAnn = (fields: Partial<MessageDocument> = {}) =>
  writeMessage({ senderId: t.ann, recipientId: t.ben, ...fields })

describe('a new message', () => {
  test('P3: lies in both copies, and both conversations name it', async () => {
    const message = fromAnn()
    const [outcome] = await accept(t.ann, message)
    expect(outcome).toMatchObject({ kind: 'stored', isNew: true, isTaken: true })
    const own = await t.readMessage(t.ann, message._id)
    const bens = await t.readMessage(t.ben, message._id)
    expect(own).toMatchObject({ status: 'sent', peerId: t.ben, content: 'hello' })
    expect(bens).toMatchObject({ status: 'delivered', peerId: t.ann, content: 'hello' })
    expect(bens?.orderedAt).toBe(own?.orderedAt)
    const lastMessage = { _id: message._id, orderedAt: own?.orderedAt }
    expect(await t.readConversation(t.ann, t.ben)).toMatchObject({ lastMessage })
    expect(await t.readConversation(t.ben, t.ann)).toMatchObject({ lastMessage })
  })

  test('P8: reaches nobody under an id that was offered for somebody else before', async () => {
    const cleo = await t.register('Cleo')
    await t.relations.setBlocked(cleo, t.ann, true)
    for (const status of ['sending', 'sent'] as const) {
      const toCleo = writeMessage({ senderId: t.ann, recipientId: cleo, status })
      const fromBen = { senderId: t.ben, recipientId: t.ann, peerId: t.ben }
      const claimed = { ...toCleo, ...fromBen, status: 'delivered' as const }
      const outcomes = await accept(t.ann, claimed, toCleo)
      expect(outcomes.map(({ kind }) => kind)).toEqual(['absent', 'absent'])
    }
    const orders = await t.storage.database('orders').range({})
    expect(orders).toEqual([])
    for (const person of [t.ann, t.ben, cleo]) expect(await t.readMessages(person)).toEqual([])
  })

  test('P2: sent twice, also at the same time, is there once and keeps its place', async () => {
    const message = fromAnn()
    await Promise.all([accept(t.ann, message), accept(t.ann, message), accept(t.ann, message)])
    const first = await t.readMessage(t.ann, message._id)
    const [again] = await accept(t.ann, message)
    expect(again).toMatchObject({ kind: 'stored', isNew: false, isTaken: false })
    expect(await t.readMessages(t.ann)).toEqual([first])
    expect(await t.readMessages(t.ben)).toHaveLength(1)
  })

  test('messages of both people get one order, strictly growing', async () => {
    const anns = Array.from({ length: 20 }, (_, i) => fromAnn({ content: `a${i}`, orderedAt: i }))
    const bens = Array.from({ length: 20 }, (_, i) =>
      writeMessage({ senderId: t.ben, recipientId: t.ann, content: `b${i}`, orderedAt: i }),
    )
    await Promise.all([
      ...anns.map((message) => accept(t.ann, message)),
      ...bens.map((message) => accept(t.ben, message)),
    ])
    const places = (messages: MessageDocument[]) =>
      messages.map(({ _id, orderedAt }) => `${orderedAt} ${_id}`)
    const order = places(await t.readMessages(t.ann))
    expect(order).toEqual(places(await t.readMessages(t.ben)))
    expect(new Set(order.map((place) => place.split(' ')[0])).size).toBe(40)
    const contents = (await t.readMessages(t.ann)).map(({ content }) => content)
    expect(contents.filter((content) => content.startsWith('a'))).toEqual(
      anns.map(({ content }) => content),
    )
  })

  test('a batch written offline keeps the order in which it was written', async () => {
    const messages = [3, 1, 2].map((place) => fromAnn({ content: String(place), orderedAt: place }))
    await accept(t.ann, ...messages)
    const contents = (await t.readMessages(t.ben)).map(({ content }) => content)
    expect(contents).toEqual(['1', '2', '3'])
  })

  test('P6: a poison document in the middle is told to its author, and the others pass', async () => {
    const before = fromAnn({ content: 'before' })
    const poison = { ...fromAnn(), content: { text: 'poison' }, orderedAt: 'soon' }
    const after = fromAnn({ content: 'after' })
    const outcomes = await accept(t.ann, before, poison, after)
    expect(outcomes[1]).toMatchObject({ refusal: { code: 'unreadable' }, isTaken: false })
    const own = await t.readMessage(t.ann, poison._id)
    expect(own).toMatchObject({ status: 'failed', errorCode: 'unreadable' })
    expect(own?.content).toContain('poison')
    const contents = (await t.readMessages(t.ben)).map(({ content }) => content)
    expect(contents).toEqual(['before', 'after'])
  })

  test('P6: poison under the id of a stored message leaves that as it is, with a note', async () => {
    const message = fromAnn({ content: 'good' })
    await accept(t.ann, message)
    const poison = { _id: message._id, content: 7 }
    const [first] = await accept(t.ann, poison)
    const [second] = await accept(t.ann, poison)
    const refused = { isTaken: false, refusal: { code: 'unreadable' } }
    expect([first, second]).toMatchObject([refused, refused])
    const own = await t.readMessage(t.ann, message._id)
    expect(own).toMatchObject({ status: 'sent', content: 'good', refused: { code: 'unreadable' } })
  })

  test('P4: a forged sender is refused, and nobody gets it', async () => {
    const forged = writeMessage({ senderId: t.ben, recipientId: t.ann, peerId: t.ann })
    const [outcome] = await accept(t.ann, forged)
    expect(outcome).toMatchObject({ refusal: { code: 'wrong_sender' } })
    expect(await t.readMessages(t.ben)).toEqual([])
    expect(await t.readMessage(t.ann, forged._id)).toMatchObject({ status: 'failed' })
  })

  test("P4: somebody else's document id is refused, and their message stays", async () => {
    const carol = await t.register('Carol')
    const secret = writeMessage({ senderId: carol, recipientId: t.ben, content: 'for Ben' })
    await accept(carol, secret)
    const [outcome] = await accept(t.ann, fromAnn({ _id: secret._id, content: 'mine' }))
    expect(outcome).toMatchObject({ refusal: { code: 'foreign_id' } })
    expect(await t.readMessages(t.ben)).toMatchObject([{ content: 'for Ben', senderId: carol }])
    expect(await t.readMessage(t.ann, secret._id)).toMatchObject({ status: 'failed' })
  })

  test('P6: to somebody who is not there is refused, and makes no database', async () => {
    const nobody = '0190a000-0000-7000-8000-00000000000c'
    const [outcome] = await accept(t.ann, fromAnn({ recipientId: nobody, peerId: nobody }))
    expect(outcome).toMatchObject({ refusal: { code: 'unknown_person' } })
  })

  test('P6: a refused message is sent by a retry, once', async () => {
    const empty = fromAnn({ content: '' })
    await accept(t.ann, empty)
    const retry = { ...empty, content: 'now with words', attempt: 2, editedAt: Date.now() }
    await accept(t.ann, retry)
    expect(await t.readMessage(t.ann, empty._id)).toMatchObject({ status: 'sent', attempt: 2 })
    expect(await t.readMessages(t.ben)).toMatchObject([{ content: 'now with words' }])
  })

  test('from a blocked person stays sent, and does not arrive, neither its edit', async () => {
    await t.relations.setBlocked(t.ben, t.ann, true)
    const message = fromAnn()
    await accept(t.ann, message)
    expect(await t.readMessage(t.ann, message._id)).toMatchObject({ status: 'sent' })
    await accept(t.ann, { ...message, content: 'edited', editedAt: Date.now() } as MessageDocument)
    expect(await t.readMessage(t.ann, message._id)).toMatchObject({ content: 'edited' })
    expect(await t.readMessages(t.ben)).toEqual([])
    expect(await t.readConversation(t.ben, t.ann)).toBeUndefined()
  })
})

describe('a changed message', () => {
  async function sendHello() {
    const message = fromAnn()
    await accept(t.ann, message)
    return message
  }

  test('an edit and a deletion reach the other copy', async () => {
    const message = await sendHello()
    await accept(t.ann, { ...message, content: 'hello!', editedAt: Date.now() } as MessageDocument)
    expect(await t.readMessage(t.ben, message._id)).toMatchObject({ content: 'hello!' })
    const gone = { ...message, content: '', deletedAt: Date.now() }
    await accept(t.ann, gone)
    expect(await t.readMessage(t.ben, message._id)).toMatchObject({
      content: '',
      deletedAt: expect.any(Number),
    })
  })

  test('P4: the reader can star it, not change it', async () => {
    const message = await sendHello()
    const bens = await t.readMessage(t.ben, message._id)
    const [star] = await accept(t.ben, {
      ...bens,
      isStarred: true,
      isStarredAt: Date.now(),
    } as never)
    expect(star).toMatchObject({ kind: 'stored', isTaken: true })
    const words = { ...bens, content: 'never said', editedAt: Date.now() }
    const [edit] = await accept(t.ben, words as never)
    expect(edit).toMatchObject({ refusal: { code: 'not_author' } })
    const read = await t.readMessage(t.ben, message._id)
    expect(read).toMatchObject({ content: 'hello', isStarred: true })
    expect(read?.refused).toMatchObject({ content: 'never said' })
    expect(await t.readMessage(t.ann, message._id)).toMatchObject({ content: 'hello' })
  })

  test('P5: edits of two devices at the same time leave both copies the same', async () => {
    const message = await sendHello()
    const edits = Array.from({ length: 10 }, (_, i) => ({
      ...message,
      content: `edit ${i}`,
      editedAt: Date.now() - 100 + i,
    }))
    await Promise.all(edits.reverse().map((edit) => accept(t.ann, edit)))
    const own = await t.readMessage(t.ann, message._id)
    expect(own?.content).toBe('edit 9')
    expect((await t.readMessage(t.ben, message._id))?.content).toBe('edit 9')
  })

  test('the same id twice in one batch is done in turn', async () => {
    const message = fromAnn()
    const edit = { ...message, content: 'second', editedAt: Date.now() } as MessageDocument
    const outcomes = await accept(t.ann, message, edit)
    expect(outcomes).toMatchObject([{ isNew: true }, { isNew: false, isTaken: true }])
    expect(await t.readMessages(t.ben)).toMatchObject([{ content: 'second' }])
  })
})
