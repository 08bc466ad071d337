import { describe, expect, onTestFinished, test } from 'vitest'
import { createDeferred } from '../../schema/helpers/deferred.ts'
import type { LostSpan, MessageDocument } from '../../schema/message.ts'
import { copyForPeer } from '../../schema/peer-copy.ts'
import { nameMessagesDatabase } from '../storage/documents/database-names.ts'
import {
  openTestAcceptance,
  propose,
  type TestAcceptance,
  writeMessage,
} from '../testing/open-test-acceptance.ts'
import type { Stage } from './acceptance/delivery-types.ts'
import { placeOf } from './copies/order-entry.ts'
import { ordersDatabase } from './copies/order-journal.ts'
import { digestsDatabase, type TallyDigest, talliesPrefix } from './digests/digest-documents.ts'
import { createTallies, endOfTime } from './digests/tallies.ts'

const tallyEvery = 4
const asked: {
  lost: LostSpan[]
  full: string[]
  crash: { after: Stage; reached: () => void } | undefined
} = { lost: [], full: [], crash: undefined }
let t: TestAcceptance

async function open(isAtomic: boolean) {
  Object.assign(asked, { lost: [], full: [], crash: undefined })
  const opened = await openTestAcceptance({
    isAtomic,
    tallyEvery,
    listLost: () => asked.lost,
    isFull: async (userId) => asked.full.includes(userId),
    onStage(stage) {
      if (stage !== asked.crash?.after) return
      asked.crash.reached()
      return new Promise(() => undefined)
    },
  })
  onTestFinished(() => opened.close())
  t = opened
}

const accept = (actorId: string, ...messages: MessageDocument[]) =>
  t.acceptance.acceptMessages({ actorId, proposals: messages.map(propose) })
const fromAnn = (fields: Partial<MessageDocument> = {}) =>
  writeMessage({ senderId: t.ann, recipientId: t.ben, ...fields })

/**
 * Ann has long written to Ben; a minute ago an operator restored a backup without the last two
 * hours.
 */
async function restore() {
  const now = Date.now()
  const place = now - 3_600_000
  await accept(t.ann, ...Array.from({ length: 3 * tallyEvery }, () => fromAnn()))
  await t.acceptance.digests.settle()
  asked.lost = [{ after: now - 7_200_000, upTo: now - 60_000 }]
  const anns: MessageDocument = { ...fromAnn({ orderedAt: place }), status: 'sent' }
  return { place, anns, bens: copyForPeer(anns, place) }
}

/** One person's history by walking the journal, as GET /messages does. */
async function readHistory(ownerId: string) {
  const range = { oneId: t.ann, otherId: t.ben, after: 0, upTo: endOfTime }
  const entries = await t.acceptance.journal.listBetween(range)
  const copies = await t.storage
    .database<MessageDocument>(nameMessagesDatabase(ownerId))
    .read(entries.map(({ messageId }) => messageId))
  return entries.flatMap((entry) => {
    const copy = copies.get(entry.messageId)
    return copy?.orderedAt === placeOf(entry) ? [copy._id] : []
  })
}

const count = async (ownerId: string, peerId: string) =>
  await t.acceptance.digests.tallies.countUpTo({ ownerId, peerId }, endOfTime)

async function expectWhole() {
  const bens = (await t.readMessages(t.ben)).map(({ _id }) => _id)
  expect(await readHistory(t.ben)).toEqual(bens)
  expect(await count(t.ben, t.ann)).toMatchObject({ sent: 0, received: bens.length })
  const anns = (await t.readMessages(t.ann)).map(({ _id }) => _id)
  expect(await readHistory(t.ann)).toEqual(anns)
  expect(await count(t.ann, t.ben)).toMatchObject({ sent: anns.length, received: 0 })
}

const readTallies = async () =>
  await t.storage
    .database<TallyDigest>(digestsDatabase)
    .range({ startkey: talliesPrefix(t.ann), endkey: `${talliesPrefix(t.ann)}~` })
const readWeight = async (userId: string) =>
  await t.storage.database(nameMessagesDatabase(userId)).readTally()

describe.each([true, false])('after a restore, isAtomic: %s', (isAtomic) => {
  test('P12: changes of what is there leave what was counted', async () => {
    await open(isAtomic)
    await restore()
    const view = { ownerId: t.ann, peerId: t.ben }
    const storage = { ...t.storage, isAtomic: true }
    const { journal } = t.acceptance
    const options = { storage, journal, every: tallyEvery, now: Date.now, onError: () => undefined }
    await createTallies(options).countUpTo(view, endOfTime)
    const before = await readTallies()
    expect(before.length).toBeGreaterThan(0)
    const [own] = await t.readMessages(t.ann)
    for (const lost of [[{ after: 0, upTo: Date.now() + 60_000 }], [{ after: 5, upTo: 5 }]]) {
      asked.lost = lost
      const edited = { ...own, content: 'edited', editedAt: Date.now() } as MessageDocument
      const [outcome] = await accept(t.ann, edited)
      expect(outcome).toMatchObject({ kind: 'stored', doc: { status: 'sent' } })
      expect(await readTallies()).toEqual(before)
    }
    // No known loss covers the place that this message claims.
    await accept(t.ann, { ...fromAnn({ orderedAt: 5 }), status: 'sent' })
    expect(await readTallies()).toEqual(before)
    expect(await count(t.ann, t.ben)).toMatchObject({ sent: 3 * tallyEvery + 1 })
  })

  test('P1: what its reader gives back first is in the history and is counted; its author says where it stands', async () => {
    await open(isAtomic)
    const { anns, bens, place } = await restore()
    await expectWhole()
    await accept(t.ben, { ...bens, orderedAt: place + 5, content: 'as Ben has it' })
    expect(await readHistory(t.ben)).toContain(anns._id)
    await expectWhole()

    await accept(t.ann, anns)
    for (const [ownerId, status] of [
      [t.ann, 'sent'],
      [t.ben, 'delivered'],
    ] as const) {
      const copy = await t.readMessage(ownerId, anns._id)
      expect(copy).toMatchObject({ orderedAt: place, content: anns.content, status })
    }
    await expectWhole()
  })

  test('P8: a reader’s word makes no message for its author, not even by healing', async () => {
    await open(isAtomic)
    const { anns, bens } = await restore()
    await accept(t.ben, bens)
    t.restart()
    await t.acceptance.healCopies()
    expect(await t.readMessage(t.ann, anns._id)).toBeUndefined()
    expect(await t.readMessage(t.ben, anns._id)).toMatchObject({ content: anns.content })
    await expectWhole()
  })

  test('a place that another message has is not taken by what a reader gives back', async () => {
    await open(isAtomic)
    const { anns, bens, place } = await restore()
    await accept(t.ann, anns)
    const other = { ...copyForPeer(fromAnn(), place), orderedAt: place }
    await accept(t.ben, bens, other)
    expect((await t.readMessage(t.ben, anns._id))?.orderedAt).toBe(place)
    expect((await t.readMessage(t.ben, other._id))?.orderedAt).toBeGreaterThan(place)
    await expectWhole()
  })

  test('P12: whoever brings something back answers for it, its reader until its author does', async () => {
    await open(isAtomic)
    const { anns, bens } = await restore()
    const [ann, ben] = [await readWeight(t.ann), await readWeight(t.ben)]
    asked.full = [t.ben]
    await accept(t.ben, bens)
    expect(await t.readMessage(t.ben, anns._id)).toBeUndefined()
    asked.full = []
    await accept(t.ben, bens)
    expect(await readWeight(t.ben)).toBeGreaterThan(ben + 100)
    await accept(t.ann, anns)
    expect(await readWeight(t.ben)).toBe(ben)
    expect(await readWeight(t.ann)).toBeGreaterThan(ann + 100)
  })

  test('P1: what its author gives back is as it was, though its reader has left or there is no room', async () => {
    await open(isAtomic)
    const { anns, place } = await restore()
    asked.full = [t.ann]
    await accept(t.ann, anns)
    expect(await t.readMessage(t.ann, anns._id)).toMatchObject({ status: 'sent', orderedAt: place })
    expect(await t.readMessage(t.ben, anns._id)).toMatchObject({ orderedAt: place })
    await t.accounts.remove(t.ben)
    await t.relations.forget(t.ben)
    asked.full = []
    const second: MessageDocument = { ...fromAnn({ orderedAt: place + 1 }), status: 'sent' }
    await accept(t.ann, second)
    const own = await t.readMessage(t.ann, second._id)
    expect(own).toMatchObject({ status: 'sent', orderedAt: place + 1 })
    expect(own?.error).toBeUndefined()
    expect(await readHistory(t.ann)).toContain(second._id)
    // What is new is refused as ever.
    await accept(t.ann, fromAnn({ content: 'new' }))
    const failed = (await t.readMessages(t.ann)).filter(({ status }) => status === 'failed')
    expect(failed).toMatchObject([{ content: 'new', errorCode: 'unknown_person' }])
  })

  test('what was being counted while a message came back counts for nothing later', async () => {
    await open(isAtomic)
    const { anns, place } = await restore()
    const view = { ownerId: t.ann, peerId: t.ben }
    const { journal, digests } = t.acceptance
    await digests.forgetTallies(t.ann, t.ben)
    const tallies = createTallies({
      // Atomic, so that it also stores young entries at once.
      storage: { ...t.storage, isAtomic: true },
      every: tallyEvery,
      now: Date.now,
      journal: {
        ...journal,
        async listBetween(range) {
          const entries = await journal.listBetween(range)
          if (!(await t.readMessage(t.ann, anns._id))) await accept(t.ann, anns)
          return entries
        },
      },
      onError: (error) => expect(error).toBeUndefined(),
    })
    await tallies.countUpTo(view, endOfTime)
    expect((await t.readMessage(t.ann, anns._id))?.orderedAt).toBe(place)
    expect(await tallies.countUpTo(view, endOfTime)).toMatchObject({ sent: 3 * tallyEvery + 1 })
    await expectWhole()
  })
})

test('P3: a copy whose place the journal does not have gets one that it has', async () => {
  await open(false)
  const message = fromAnn()
  const crashed = createDeferred()
  asked.crash = { after: 'peer', reached: crashed.resolve }
  accept(t.ann, message).catch(() => undefined)
  await crashed.promise
  asked.crash = undefined
  expect(await t.readMessage(t.ben, message._id)).toBeDefined()
  // As after restoring a CouchDB whose databases were copied one after the other.
  await t.storage.destroy(ordersDatabase)
  t.restart()
  await accept(t.ann, message)
  expect(await readHistory(t.ann)).toEqual([message._id])
  expect(await readHistory(t.ben)).toEqual([message._id])
  const own = await t.readMessage(t.ann, message._id)
  expect((await t.readMessage(t.ben, message._id))?.orderedAt).toBe(own?.orderedAt)
})
