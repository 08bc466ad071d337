import { describe, expect, onTestFinished, test } from 'vitest'
import { type ConversationDocument, newConversation } from '../../schema/conversation.ts'
import { must } from '../../schema/helpers/assertions.ts'
import { isAccepted, type MessageDocument } from '../../schema/message.ts'
import { nameConversationsDatabase } from '../storage/documents/database-names.ts'
import { createFaultyDisk, type FaultyDisk, type Remains } from '../storage/testing/faulty-disk.ts'
import {
  openTestAcceptance,
  propose,
  type TestAcceptance,
  writeMessage,
} from '../testing/open-test-acceptance.ts'

interface Bench {
  t: TestAcceptance
  disk: FaultyDisk
  /** A person without any messages yet. */
  reader: string
  message: MessageDocument
}

interface Action {
  /** Is the message sent beforehand? */
  isOfSent: boolean
  act: (bench: Bench) => Promise<unknown>
  isDone: (copies: Copies) => boolean
}

interface Copies {
  own: MessageDocument | undefined
  theirs: MessageDocument | undefined
  ownConversation: ConversationDocument | undefined
  theirConversation: ConversationDocument | undefined
}

async function send({ t, message }: Bench) {
  const proposals = [propose(message)]
  const [outcome] = await t.acceptance.acceptMessages({ actorId: t.ann, proposals })
  if (outcome?.kind !== 'stored' || !isAccepted(outcome.doc)) throw new Error('It was not taken.')
}

/** As written by the device of a person who has seen the message. */
async function amend(bench: Bench, change: Partial<MessageDocument>) {
  const stored = must(await bench.t.readMessage(bench.t.ann, bench.message._id), 'the message')
  await send({ ...bench, message: { ...stored, ...change } })
}

async function raise(
  { t, message }: Bench,
  marks: { ownerId: string; peerId: string; change: (upTo: number) => object },
) {
  const { ownerId: actorId, peerId, change } = marks
  const { orderedAt } = must(await t.readMessage(actorId, message._id), 'the message')
  const before = (await t.readConversation(actorId, peerId)) ?? newConversation(peerId)
  const proposals = [propose({ ...before, ...change(orderedAt) })]
  await t.acceptance.acceptConversations({ actorId, proposals })
}

const actions: Record<string, Action> = {
  'a first message': {
    isOfSent: false,
    act: send,
    isDone: ({ own, theirs }) => own !== undefined && theirs !== undefined,
  },
  'an edit': {
    isOfSent: true,
    act: (bench) => amend(bench, { content: 'edited', editedAt: bench.message.createdAt + 5 }),
    isDone: ({ own, theirs }) => own?.content === 'edited' && theirs?.content === 'edited',
  },
  'a deletion': {
    isOfSent: true,
    act: (bench) => amend(bench, { deletedAt: bench.message.createdAt + 5 }),
    isDone: ({ own, theirs }) => own?.deletedAt !== undefined && theirs?.deletedAt !== undefined,
  },
  'a receipt': {
    isOfSent: true,
    act: (bench) =>
      raise(bench, {
        ownerId: bench.reader,
        peerId: bench.t.ann,
        change: (upTo) => ({ deliveredUpTo: upTo, readUpTo: upTo }),
      }),
    isDone: ({ own, ownConversation, theirConversation }) =>
      theirConversation?.readUpTo === own?.orderedAt &&
      ownConversation?.peerReadUpTo === own?.orderedAt,
  },
  'a clearing': {
    isOfSent: true,
    act: (bench) =>
      raise(bench, {
        ownerId: bench.t.ann,
        peerId: bench.reader,
        change: (upTo) => ({ clearedUpTo: upTo }),
      }),
    isDone: ({ own, ownConversation }) => ownConversation?.clearedUpTo === own?.orderedAt,
  },
}

async function open(isAtomic: boolean) {
  const disk = createFaultyDisk()
  const t = await openTestAcceptance({ isAtomic, wrapLevel: disk.wrapLevel })
  onTestFinished(() => t.close())
  let readers = 0

  /** The databases were closed while nobody used them: nothing is healed. */
  async function openAgain() {
    t.acceptance.drop()
    await t.storage.close()
    disk.beginLife()
    disk.makeRoom()
    t.reopen()
  }

  return {
    t,
    disk,
    async prepare({ isOfSent }: Action): Promise<Bench> {
      readers += 1
      const reader = await t.register(`Reader ${readers}`)
      const message = writeMessage({ senderId: t.ann, recipientId: reader })
      const bench = { t, disk, reader, message }
      if (isOfSent) await send(bench)
      return bench
    },
    openAgain,
    /** The process is gone; the next one finds what is on the disk. */
    async startAgain() {
      await openAgain()
      await t.acceptance.healCopies()
    },
  }
}

async function readCopies({ t, reader, message: { _id } }: Bench): Promise<Copies> {
  return {
    own: await t.readMessage(t.ann, _id),
    theirs: await t.readMessage(reader, _id),
    ownConversation: await t.readConversation(t.ann, reader),
    theirConversation: await t.readConversation(reader, t.ann),
  }
}

function expectNothingHalf({ own, theirs, ownConversation, theirConversation }: Copies) {
  expect(theirs !== undefined).toBe(own !== undefined)
  expect(theirs?.content).toBe(own?.content)
  expect(theirs?.orderedAt).toBe(own?.orderedAt)
  expect(theirs?.deletedAt).toBe(own?.deletedAt)
  if (own) expect(ownConversation && theirConversation).toBeTruthy()
  // A reader whose own mark is still unsent tells it again.
  const told = ownConversation?.peerReadUpTo ?? 0
  expect(told).toBeGreaterThanOrEqual(theirConversation?.readUpTo ?? 0)
}

const storages = [
  { name: 'on storage that writes all at once', isAtomic: true },
  { name: 'on storage that writes one database after the other', isAtomic: false },
]

describe.each(storages)('P3 P12: $name', ({ isAtomic }) => {
  test.each(Object.keys(actions))(
    'a kill before or after any write of %s leaves nothing half, and loses nothing that was acknowledged',
    async (name) => {
      const action = must(actions[name], name)
      const { t, disk, prepare, startAgain } = await open(isAtomic)
      for (const side of ['before', 'after'] as const) {
        let deaths = 0
        for (; ; deaths += 1) {
          const bench = await prepare(action)
          disk.dieAt({ after: deaths, side })
          const isAcknowledged = await isResolved(action.act(bench))
          if (!disk.isDead()) break
          await startAgain()
          const copies = await readCopies(bench)
          expectNothingHalf(copies)
          if (isAcknowledged) expect(action.isDone(copies)).toBe(true)
          await action.act(bench)
          const completed = await readCopies(bench)
          expectNothingHalf(completed)
          expect(action.isDone(completed)).toBe(true)
        }
        disk.dieAt(undefined)
        expect(deaths).toBeGreaterThan(0)
      }
      expect(await t.acceptance.healCopies()).toBe(0)
    },
  )

  test.each(Object.keys(actions))(
    'a disk that is full at any write of %s leaves nothing half, and loses nothing that was acknowledged',
    async (name) => {
      const action = must(actions[name], name)
      const { disk, prepare, startAgain } = await open(isAtomic)
      for (const leaves of ['nothing', 'torn', 'unseen'] satisfies Remains[]) {
        for (let after = 0; ; after += 1) {
          const bench = await prepare(action)
          const before = disk.countRefused()
          disk.fillUp({ after, count: 1 + (after % 3), leaves })
          const isAcknowledged = await isResolved(action.act(bench))
          if (disk.countRefused() === before) break
          await startAgain()
          const copies = await readCopies(bench)
          expectNothingHalf(copies)
          if (isAcknowledged) expect(action.isDone(copies)).toBe(true)
          await action.act(bench)
          const completed = await readCopies(bench)
          expectNothingHalf(completed)
          expect(action.isDone(completed)).toBe(true)
        }
        disk.makeRoom()
      }
      expect(disk.countRefused()).toBeGreaterThan(2)
    },
  )
})

test('P3: a first message that a full disk stored, and reported as refused, begins both conversations when it comes again', async () => {
  const first = must(actions['a first message'], 'an action')
  const { disk, prepare, openAgain } = await open(false)
  for (let after = 0; ; after += 1) {
    const bench = await prepare(first)
    const before = disk.countRefused()
    disk.fillUp({ after, count: 20, leaves: 'unseen' })
    await isResolved(send(bench))
    if (disk.countRefused() === before) {
      expect(after).toBeGreaterThan(2)
      break
    }
    await openAgain()
    await send(bench)
    const copies = await readCopies(bench)
    expect(first.isDone(copies)).toBe(true)
    expectNothingHalf(copies)
  }
})

test('P6: words that a full disk stored, and reported as refused, are gone where their author discards them before the data is opened again', async () => {
  const first = must(actions['a first message'], 'an action')
  const { t, disk, prepare } = await open(false)
  let copies = 0
  for (let after = 0; ; after += 1) {
    const bench = await prepare(first)
    const before = disk.countRefused()
    disk.fillUp({ after, count: 20, leaves: 'unseen' })
    await isResolved(send(bench))
    disk.makeRoom()
    if (disk.countRefused() === before) break
    const discarded: MessageDocument = { ...bench.message, deletedAt: Date.now() }
    const proposals = [propose(discarded)]
    const discard = () => t.acceptance.acceptMessages({ actorId: t.ann, proposals })
    await expect.poll(() => isResolved(discard())).toBe(true)
    const { own, theirs } = await readCopies(bench)
    expect(own).toMatchObject({ content: '', deletedAt: expect.any(Number) })
    copies += Number(theirs !== undefined)
    expect(theirs?.content ?? '').toBe('')
  }
  expect(copies).toBeGreaterThan(0)
})

test('P3: a kill at any write of a receipt that comes before its author’s conversation loses no receipt', async () => {
  const receipt = must(actions['a receipt'], 'an action')
  const { t, disk, prepare, startAgain } = await open(false)
  for (let deaths = 0; ; deaths += 1) {
    const bench = await prepare(receipt)
    const conversations = nameConversationsDatabase(t.ann)
    await t.storage.database(conversations).update([bench.reader], (stored) => ({
      put: [...stored.values()].map((conversation) => ({ ...conversation, _deleted: true })),
      result: undefined,
    }))
    disk.dieAt({ after: deaths, side: 'after' })
    await isResolved(receipt.act(bench))
    if (!disk.isDead()) {
      expect(deaths).toBeGreaterThan(1)
      break
    }
    await startAgain()
    await receipt.act(bench)
    await t.acceptance.healCopies()
    expect(receipt.isDone(await readCopies(bench))).toBe(true)
  }
})

test('P3: a receipt that was told to nobody, as its author’s conversation had yet to begin, is told when it begins', async () => {
  const receipt = must(actions['a receipt'], 'an action')
  const { t, prepare, startAgain } = await open(false)
  const bench = await prepare(receipt)
  const conversations = nameConversationsDatabase(t.ann)
  await t.storage.database(conversations).update([bench.reader], (stored) => ({
    put: [...stored.values()].map((conversation) => ({ ...conversation, _deleted: true })),
    result: undefined,
  }))
  await receipt.act(bench)
  await t.acceptance.healCopies()
  expect((await readCopies(bench)).ownConversation).toBeUndefined()
  await startAgain()
  await send({ ...bench, message: writeMessage({ senderId: t.ann, recipientId: bench.reader }) })
  expect(receipt.isDone(await readCopies(bench))).toBe(true)
})

async function isResolved(acting: Promise<unknown>): Promise<boolean> {
  return await acting.then(
    () => true,
    () => false,
  )
}
