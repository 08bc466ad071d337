import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { must } from '../../schema/helpers/assertions.ts'
import type { MessageDocument } from '../../schema/message.ts'
import { describeCouches } from '../storage/couch/couches.contract.ts'
import {
  nameConversationsDatabase,
  nameMessagesDatabase,
} from '../storage/documents/database-names.ts'
import type { Seq } from '../storage/documents/documents.ts'
import { startLosingProxy } from '../testing/couch/start-losing-proxy.ts'
import {
  openTestAcceptance,
  propose,
  type TestAcceptance,
  writeMessage,
} from '../testing/open-test-acceptance.ts'
import type { Stage } from './acceptance/delivery-types.ts'

const running = {} as { proxy: Awaited<ReturnType<typeof startLosingProxy>> }
const opened = { errors: [] as unknown[] } as { errors: unknown[]; t: TestAcceptance; cyd: string }
const reading = { isHidden: false }
const crash: { reached?: (() => void) | undefined } = {}
const write = (recipientId: string, content: string) =>
  writeMessage({ senderId: opened.t.ann, recipientId, content })
const send = (messages: readonly MessageDocument[]) =>
  opened.t.acceptance.acceptMessages({ actorId: opened.t.ann, proposals: messages.map(propose) })
const read = (userId: string, { _id }: MessageDocument) => opened.t.readMessage(userId, _id)

/** Makes CouchDB fail wherever Ben's messages are. @returns ends it */
const breakBen = () => breakDatabase(nameMessagesDatabase(opened.t.ben))
const breakDatabase = (name: string) => running.proxy.breakPath(new RegExp(`^/${name}`))

/** Sends, and stops forever between the two copies. */
async function sendAndCrash(message: MessageDocument) {
  const reached = new Promise<void>((resolve) => Object.assign(crash, { reached: resolve }))
  send([message]).catch(() => undefined)
  await reached
  Object.assign(crash, { reached: undefined })
  opened.t.restart()
}

const countHints = async () => (await opened.t.storage.database('debts').range({})).length

describeCouches('somebody whose messages cannot be stored', (couch) => {
  beforeAll(async () => {
    running.proxy = await startLosingProxy(couch.url)
  })
  afterAll(() => running.proxy.close())
  beforeEach(async () => {
    const onError = (error: unknown) => opened.errors.push(error)
    const onStage = (stage: Stage) => {
      if (stage !== 'peer' || !crash.reached) return
      crash.reached()
      return new Promise<void>(() => undefined)
    }
    const couchdbUrl = running.proxy.url
    const privacy = {
      refusesFirst: async () => false,
      hidesReading: async () => reading.isHidden,
    }
    reading.isHidden = false
    const t = await openTestAcceptance({
      couchdbUrl,
      onError,
      onStage,
      privacy,
      lookAgainMs: 50,
      isShared: false,
    })
    Object.assign(opened, { t, errors: [], cyd: await t.register('Cyd') })
  })
  afterEach(() => opened.t.close())

  test('P6: holds up nobody else, and the author can send it again', async () => {
    const { t, cyd } = opened
    await send([write(t.ben, 'before')])
    const mend = breakBen()
    const [toBen, toCyd] = [write(t.ben, 'to Ben'), write(cyd, 'to Cyd')]
    expect(await send([toBen, toCyd])).toMatchObject([
      { kind: 'stored', isTaken: false, refusal: { code: 'recipient_unavailable' } },
      { kind: 'stored', isTaken: true, doc: { status: 'sent' } },
    ])
    expect(await read(cyd, toCyd)).toMatchObject({ content: 'to Cyd', status: 'delivered' })
    const failed = await read(t.ann, toBen)
    const reason = { errorCode: 'recipient_unavailable' }
    expect(failed).toMatchObject({ status: 'failed', content: 'to Ben', ...reason })
    expect(opened.errors.length).toBeGreaterThan(0)

    mend()
    await send([{ ...toBen, status: 'sending', attempt: (failed?.attempt ?? 0) + 1 }])
    expect(await read(t.ann, toBen)).toMatchObject({ status: 'sent' })
    expect(await read(t.ben, toBen)).toMatchObject({ content: 'to Ben' })
  })

  test('P3: keeps the text that they have, until an edit can reach them', async () => {
    const { t } = opened
    const message = write(t.ben, 'first')
    await send([message])
    const mend = breakBen()
    const sent = await read(t.ann, message)
    const edited = { ...message, ...sent, content: 'second', editedAt: Date.now() }
    await send([edited])
    expect(await read(t.ann, message)).toMatchObject({
      content: 'first',
      status: 'sent',
      refused: { code: 'recipient_unavailable', content: 'second' },
    })
    mend()
    await send([{ ...edited, editedAt: Date.now() }])
    expect(await read(t.ben, message)).toMatchObject({ content: 'second' })
  })

  test('P3 P6: a deletion holds up nobody else, and reaches them once they are back', async () => {
    const { t, cyd } = opened
    const message = write(t.ben, 'first')
    await send([message])
    const mend = breakBen()
    const sent = await read(t.ann, message)
    const deleted = { ...message, ...sent, deletedAt: Date.now() }
    const toCyd = write(cyd, 'to Cyd')
    expect(await send([deleted, toCyd])).toMatchObject([{ isTaken: true }, { isTaken: true }])
    expect(await read(t.ann, message)).toMatchObject({ content: '', deletedAt: deleted.deletedAt })
    expect(await read(cyd, toCyd)).toMatchObject({ content: 'to Cyd' })
    expect(await countHints()).toBe(1)

    // The hint is stored: a restarted server replays it too.
    t.restart()
    mend()
    await t.acceptance.healCopies()
    const { deletedAt } = deleted
    expect(await read(t.ben, message)).toMatchObject({ content: '', deletedAt })
    expect(await countHints()).toBe(0)
  })

  test('P3: a deletion reaches them without anybody asking, also when its author has left', async () => {
    const { t } = opened
    const message = write(t.ben, 'first')
    await send([message])
    const mend = breakBen()
    await send([{ ...message, ...(await read(t.ann, message)), deletedAt: Date.now() }])
    await t.accounts.remove(t.ann)
    await t.relations.forget(t.ann)
    mend()
    await expect.poll(() => read(t.ben, message)).toMatchObject({ content: '' })
    await expect.poll(countHints).toBe(0)
  })

  test('P3: a message whose answer was lost, and that is there all the same, is not called failed for long', async () => {
    const { t } = opened
    const message = write(t.ben, 'to Ben')
    await sendAndCrash(message)
    const mend = breakBen()
    await send([message])
    expect(await read(t.ann, message)).toMatchObject({ status: 'failed' })
    mend()
    await expect.poll(() => read(t.ann, message)).toMatchObject({ status: 'sent' })
    expect(await t.readMessages(t.ben)).toHaveLength(1)
  })

  test('P6: whose conversations cannot be written gets the messages, and their names in the list later', async () => {
    const { t, cyd } = opened
    const mend = breakDatabase(nameConversationsDatabase(t.ben))
    const [toBen, toCyd] = [write(t.ben, 'to Ben'), write(cyd, 'to Cyd')]
    const sent = { kind: 'stored', isTaken: true, doc: { status: 'sent' } }
    expect(await send([toBen, toCyd])).toMatchObject([sent, sent])
    expect(await read(t.ben, toBen)).toMatchObject({ content: 'to Ben' })
    expect(await t.readConversation(t.ann, t.ben)).toMatchObject({
      lastMessage: { _id: toBen._id },
    })
    mend()
    await expect
      .poll(() => t.readConversation(t.ben, t.ann))
      .toMatchObject({ lastMessage: { _id: toBen._id } })
  })

  test('P6: whose conversations cannot be written hears later that a message arrived, and never of hidden reading', async () => {
    const { t } = opened
    await send([write(t.ben, 'first')])
    const conversation = async () => must(await t.readConversation(t.ben, t.ann), 'a conversation')
    const readOn = async () => {
      const [message] = (await t.readMessages(t.ben)).slice(-1)
      const readUpTo = must(message, 'a message').orderedAt
      const proposals = [propose({ ...(await conversation()), readUpTo } as { _id: string })]
      return await t.acceptance.acceptConversations({ actorId: t.ben, proposals })
    }
    const statuses = async () => (await t.readStatuses(t.ann)).map(({ status }) => status)
    const mend = breakDatabase(nameConversationsDatabase(t.ann))
    reading.isHidden = true
    expect(await readOn()).toMatchObject([{ kind: 'stored', isTaken: true }])
    // On again before the author hears of it.
    reading.isHidden = false
    mend()
    await expect.poll(statuses).toEqual(['delivered'])
    await expect.poll(countHints).toBe(0)

    await send([write(t.ben, 'second')])
    await readOn()
    expect(await statuses()).toEqual(['delivered', 'read'])
  })

  test('holds up nobody else’s healing', async () => {
    const { t, cyd } = opened
    await send([write(t.ben, 'before')])
    const mend = breakBen()
    await send([write(t.ben, 'to Ben'), write(cyd, 'to Cyd')])
    const orders = t.storage.database('orders')
    // A sweep already running may have begun before the last message.
    await expect
      .poll(async () => {
        expect(await t.acceptance.healCopies()).toBe(0)
        const { seq } = (await orders.readLocal('healed')) ?? { seq: 0 }
        return (await orders.changes({ since: seq as Seq })).results
      })
      .toEqual([])
    mend()
  })

  test('P3: is looked at again, until what a crash left is complete', async () => {
    const { t } = opened
    const message = write(t.ben, 'to Ben')
    await sendAndCrash(message)
    const mend = breakBen()
    const orders = t.storage.database('orders')
    // A sweep already running may have begun before the last message.
    await expect
      .poll(async () => {
        expect(await t.acceptance.healCopies()).toBe(0)
        const { seq } = (await orders.readLocal('healed')) ?? { seq: 0 }
        return (await orders.changes({ since: seq as Seq })).results
      })
      .toEqual([])
    expect(await read(t.ann, message)).toBeUndefined()
    mend()
    await expect.poll(() => read(t.ann, message)).toMatchObject({ status: 'sent' })
    await expect.poll(countHints).toBe(0)
  })
})
