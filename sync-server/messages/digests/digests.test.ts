import { rm } from 'node:fs/promises'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type ConversationDocument, newConversation } from '../../../schema/conversation.ts'
import type { LostSpan, MessageDocument } from '../../../schema/message.ts'
import type { AccountsDocument } from '../../access/account-documents.ts'
import { createRelations } from '../../access/relations.ts'
import { summariseConversation } from '../../http/messages/conversation-routes.ts'
import {
  nameConversationsDatabase,
  nameMessagesDatabase,
} from '../../storage/documents/database-names.ts'
import { createStorage, type Storage } from '../../storage/storage.ts'
import { unpackFixture } from '../../storage/testing/unpack-fixture.ts'
import { walkAll } from '../../storage/testing/walk-all.ts'
import { startCouch } from '../../testing/couch/start-couch.ts'
import {
  openTestAcceptance,
  propose,
  type TestAcceptance,
  writeMessage,
} from '../../testing/open-test-acceptance.ts'
import type { Stage } from '../acceptance/delivery-types.ts'
import { placeOf } from '../copies/order-entry.ts'
import { type Acceptance, createAcceptance } from '../message-acceptance.ts'
import { digestsDatabase, type TallyDigest, talliesPrefix } from './digest-documents.ts'
import { endOfTime } from './tallies.ts'

const tallyEvery = 4
const crash: { after?: Stage | undefined; reached?: () => void } = {}
const clock = { ahead: 0 }
let t: TestAcceptance

async function open(
  isAtomic: boolean,
  place: Pick<Parameters<typeof openTestAcceptance>[0] & object, 'couchdbUrl' | 'listLost'> = {},
) {
  clock.ahead = 0
  const opened = await openTestAcceptance({
    ...place,
    isAtomic,
    tallyEvery,
    now: () => Date.now() + clock.ahead,
    onStage(stage) {
      if (stage !== crash.after) return
      crash.reached?.()
      return new Promise(() => undefined)
    },
  })
  onTestFinished(() => opened.close())
  t = opened
}

interface Opened {
  storage: Storage
  acceptance: Acceptance
}

async function compare(ownerId: string, peerId: string, opened: Opened = t) {
  const { storage, acceptance } = opened
  const messages = storage.database<MessageDocument>(nameMessagesDatabase(ownerId))
  const copies = await messages.range({})
  const name = nameConversationsDatabase(ownerId)
  const stored = await storage.database<ConversationDocument>(name).read([peerId])
  const conversation = stored.get(peerId) ?? newConversation(peerId)
  const walked = walkAll({ ownerId, copies, conversations: [conversation] })
  const { digests } = acceptance
  const { isComplete, record, setComplete } = digests.completeness
  if (!(await isComplete(ownerId))) {
    await record(ownerId, copies)
    await setComplete(ownerId)
  }
  const counted = await summariseConversation({ ownerId, conversation, digests })
  expect(counted).toEqual(walked.summarise(peerId))
}

async function compareBoth() {
  await compare(t.ann, t.ben)
  await compare(t.ben, t.ann)
}

const writeMany = (senderId: string, recipientId: string, count: number) =>
  Array.from({ length: count }, (_, index) =>
    writeMessage({ senderId, recipientId, isStarred: index % 4 === 3, isStarredAt: 1 }),
  )
const accept = (actorId: string, messages: readonly MessageDocument[]) =>
  t.acceptance.acceptMessages({ actorId, proposals: messages.map(propose) })

/** Writes, stops forever after a stage if it gets there; then restarts on what is stored. */
async function acceptAndCrash(actorId: string, messages: readonly MessageDocument[], after: Stage) {
  const reached = new Promise<void>((resolve) => {
    Object.assign(crash, { after, reached: resolve })
  })
  await Promise.race([accept(actorId, messages).catch(() => undefined), reached])
  crash.after = undefined
  t.restart()
}

const stages = ['ordered', 'peer', 'own', 'finished'] as const
const step = fc.record({
  kind: fc.constantFrom(
    ...(['send', 'send', 'send', 'delete', 'star', 'read', 'clear', 'later', 'heal'] as const),
  ),
  isAnns: fc.boolean(),
  which: fc.nat(1_000),
  crashAfter: fc.option(fc.constantFrom(...stages)),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

async function act({ kind, isAnns, which, crashAfter }: Step) {
  const [actorId, peerId] = isAnns ? [t.ann, t.ben] : [t.ben, t.ann]
  const write = (messages: readonly MessageDocument[]) =>
    crashAfter ? acceptAndCrash(actorId, messages, crashAfter) : accept(actorId, messages)
  const copies = await t.readMessages(actorId)
  const any = copies[which % Math.max(copies.length, 1)]
  const raise = async (marks: Partial<ConversationDocument>) => {
    const proposals = [propose({ ...newConversation(peerId), ...marks })]
    await t.acceptance.acceptConversations({ actorId, proposals })
  }
  const now = Date.now() + clock.ahead
  switch (kind) {
    case 'send': {
      const messages = writeMany(actorId, peerId, 1 + (which % 6))
      await write(messages)
      // Some authors return and retry, others never do.
      if (crashAfter && which % 2 === 0) await accept(actorId, messages)
      return
    }
    case 'delete':
      if (any?.senderId === actorId) await write([{ ...any, deletedAt: now }])
      return
    case 'star':
      if (any) await write([{ ...any, isStarred: which % 3 > 0, isStarredAt: now }])
      return
    case 'read':
      if (any) await raise({ readUpTo: any.orderedAt })
      return
    case 'clear':
      if (any) await raise({ clearedUpTo: any.orderedAt })
      return
    case 'later':
      clock.ahead += 90_000
      return
    case 'heal':
      await t.acceptance.healCopies()
  }
}

test.each([true, false])(
  'P3: digests say what a walk through every copy says, after crashes at every stage, isAtomic: %s',
  async (isAtomic) => {
    const history = fc.array(step, { minLength: 30, maxLength: 60 })
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        await open(isAtomic)
        for (const [index, each] of steps.entries()) {
          await act(each)
          if (index % 8 === 0) await compareBoth()
        }
        await compareBoth()
      }),
      { numRuns: 2, endOnFailure: true },
    )
  },
)

describe.each([true, false])('digests, isAtomic: %s', (isAtomic) => {
  test('are stored from time to time, so that nobody has far to count', async () => {
    await open(isAtomic)
    for (let count = 0; count < 5; count += 1) {
      await accept(t.ann, writeMany(t.ann, t.ben, 5))
      clock.ahead += 90_000
    }
    await t.acceptance.digests.settle()
    const range = { startkey: talliesPrefix(t.ben), endkey: `${talliesPrefix(t.ben)}~` }
    const tallies = await t.storage.database<TallyDigest>(digestsDatabase).range(range)
    expect(tallies.length).toBeGreaterThanOrEqual(4)
    expect(tallies.at(-1)).toMatchObject({ sent: 0, open: [] })
    await compareBoth()
  })
})

describe('a place whose message nobody knows of yet', () => {
  test('is counted once it is there, however late', async () => {
    await open(false)
    const messages = writeMany(t.ann, t.ben, 6)
    await acceptAndCrash(t.ann, messages, 'ordered')
    await accept(t.ben, writeMany(t.ben, t.ann, 6))
    clock.ahead += 90_000
    await compareBoth()
    await accept(t.ann, messages)
    await compareBoth()
    await t.acceptance.healCopies()
    await compareBoth()
  })

  test('is counted by its author once the healer has completed it', async () => {
    await open(false)
    await acceptAndCrash(t.ann, writeMany(t.ann, t.ben, 6), 'peer')
    clock.ahead += 90_000
    await compareBoth()
    expect(await t.acceptance.healCopies()).toBe(6)
    await compareBoth()
  })
})

test('a message that comes back after a restore is counted, though it lies below what was counted before', async () => {
  const lost: LostSpan[] = []
  await open(true, { listLost: () => lost })
  const send = async () => await accept(t.ann, writeMany(t.ann, t.ben, 2 * tallyEvery))
  await send()
  const [newest] = await t.acceptance.journal.listBefore({
    oneId: t.ann,
    otherId: t.ben,
    before: endOfTime,
    limit: 1,
  })
  const before = newest ? placeOf(newest) : 0
  clock.ahead = 10_000
  await send()
  await compareBoth()
  lost.push({ after: before, upTo: Date.now() + clock.ahead })
  const back = writeMessage({ senderId: t.ann, recipientId: t.ben, orderedAt: before + 5_000 })
  await accept(t.ann, [{ ...back, status: 'sent' }])
  expect((await t.readMessage(t.ben, back._id))?.orderedAt).toBe(before + 5_000)
  await compareBoth()
})

test('digests say the same on a CouchDB', async () => {
  const couch = await startCouch()
  onTestFinished(couch.close)
  await open(false, { couchdbUrl: couch.url })
  const steps = fc.sample(step, 25)
  for (const [index, each] of steps.entries()) {
    await act(each)
    if (index % 6 === 0) await compareBoth()
  }
  await compareBoth()
})

test('digests are made of what an earlier version has left', async () => {
  const { dataDir, people } = await unpackFixture()
  const storage = createStorage({ dataDir, durability: 'relaxed' })
  onTestFinished(async () => {
    await storage.close()
    await rm(dataDir, { recursive: true })
  })
  await storage.ready()
  const database = storage.database<AccountsDocument>('accounts')
  const relations = createRelations({ database, isShared: false })
  const acceptance = createAcceptance({ storage, relations, tallyEvery })
  const ids = Object.values(people).map(({ id }) => id)
  for (const ownerId of ids) {
    for (const peerId of ids)
      if (peerId !== ownerId) await compare(ownerId, peerId, { storage, acceptance })
  }
})
