import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { must } from '../../schema/helpers/assertions.ts'
import { isAccepted, type MessageDocument } from '../../schema/message.ts'
import { react } from '../../schema/reaction.ts'
import { describeCouches } from '../storage/couch/couches.contract.ts'
import {
  openTestAcceptance,
  propose,
  type TestAcceptance,
  writeMessage,
} from '../testing/open-test-acceptance.ts'
import type { Stage } from './acceptance/delivery-types.ts'

const stages: readonly Stage[] = ['ordered', 'peer', 'own', 'finished']

const kinds = [
  ...(['send', 'send', 'edit', 'edit', 'delete', 'again', 'heal'] as const),
  // By its author, and by its reader.
  ...(['react', 'answer', 'answer'] as const),
]

/** One event in a message's history; `dies` is the stage after which the server dies. */
const step = fc.record({
  kind: fc.constantFrom(...kinds),
  author: fc.constantFrom(0, 1),
  which: fc.nat(7),
  dies: fc.option(fc.constantFrom(...stages), { nil: undefined }),
})
const history = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { maxLength: 10 })
type Step = Parameters<Parameters<typeof step.map>[0]>[0]

const crash: { after?: Stage | undefined; reached?: () => void } = {}
function dieThere(stage: Stage) {
  if (stage !== crash.after) return
  crash.after = undefined
  crash.reached?.()
  return new Promise<void>(() => undefined)
}

const opened = { count: 0 } as { t: TestAcceptance; count: number }

function describeHistories(open: () => Promise<TestAcceptance>, numRuns: number) {
  beforeAll(async () => {
    opened.t = await open()
  })
  afterAll(() => opened.t.close())

  test('P3 P6: whatever dies wherever, both copies say the same after the next start, and nothing acknowledged is gone', async () => {
    await fc.assert(fc.asyncProperty(history, live), { numRuns })
  })

  test.each(stages)(
    'P3: a reader’s reaction is in both copies after a death at %s',
    async (dies) => {
      const send = { kind: 'send', author: 0, which: 0, dies: undefined } as const
      await live([[send], [{ kind: 'answer', author: 0, which: 0, dies }]])
    },
  )

  test('P6: an edit that a death stopped between the copies stands after its retry, whatever its author changed meanwhile', async () => {
    const { t } = opened
    opened.count += 1
    const annId = await t.register(`Ann${opened.count}`)
    const benId = await t.register(`Ben${opened.count}`)
    const message = writeMessage({ senderId: annId, recipientId: benId, content: 'come at noon' })
    const accept = (proposed: MessageDocument) =>
      t.acceptance.acceptMessages({ actorId: annId, proposals: [propose(proposed)] })
    await accept(message)
    const sent = must(await t.readMessage(annId, message._id), 'the author’s copy')
    const now = Date.now()
    const edited = { ...sent, content: 'come at ten', editedAt: now }
    const died = new Promise<void>((resolve) => {
      Object.assign(crash, { after: 'peer', reached: resolve })
    })
    void accept(edited)
    await died
    t.restart()
    await accept(react(sent, { userId: annId, emoji: '👍', now }))
    await t.acceptance.healCopies()
    await accept(edited)
    for (const ownerId of [annId, benId]) {
      const copy = must(await t.readMessage(ownerId, message._id), 'a copy')
      expect(copy).toMatchObject({
        content: 'come at ten',
        reactions: { [annId]: { emoji: '👍' } },
      })
    }
  })
}

describe('messages, edits and deletions on storage that writes one database after the other', () => {
  describe('LevelDB in turn', () => {
    describeHistories(() => openTestAcceptance({ isAtomic: false, onStage: dieThere }), 30)
  })

  describeCouches('histories', (couch) => {
    const rest = { isShared: false, onStage: dieThere }
    describeHistories(() => openTestAcceptance({ couchdbUrl: couch.url, ...rest }), 10)
  })
})

/** The acting person; undefined for the server. */
function findActor({ kind, author }: Step): number | undefined {
  if (kind === 'heal') return undefined
  return kind === 'answer' ? 1 - author : author
}

/** Runs two people who have never met through a history. */
async function live(moments: readonly (readonly Step[])[]) {
  const { t } = opened
  opened.count += 1
  const people = [await t.register(`Ann${opened.count}`), await t.register(`Ben${opened.count}`)]
  const written: MessageDocument[][] = [[], []]
  const acknowledged = new Set<string>()

  async function take(step: Step) {
    const { kind, author, which } = step
    if (kind === 'heal') return void (await t.acceptance.healCopies())
    const proposed = await findProposed(kind, author, which)
    if (!proposed) return
    const actorId = must(people[findActor(step) ?? author], 'a person')
    const proposals = [propose(proposed)]
    const [outcome] = await t.acceptance.acceptMessages({ actorId, proposals })
    if (outcome?.kind === 'stored' && isAccepted(outcome.doc)) acknowledged.add(proposed._id)
  }

  async function findProposed(kind: Step['kind'], author: number, which: number) {
    const [own, senderId] = [must(written[author], 'messages'), must(people[author], 'a person')]
    if (kind === 'send') {
      const recipientId = must(people[1 - author], 'a person')
      const message = writeMessage({ senderId, recipientId, content: `message ${own.length}` })
      own.push(message)
      return message
    }
    const first = own[which % Math.max(own.length, 1)]
    if (!first || kind === 'again') return first
    const actorId = kind === 'answer' ? must(people[1 - author], 'a person') : senderId
    const stored = await t.readMessage(actorId, first._id)
    if (!stored) return undefined
    const now = Date.now()
    if (kind === 'react' || kind === 'answer') {
      const emoji = must(['👍', '❤️', ''][which % 3], 'an emoji')
      return react(stored, { userId: actorId, emoji, now })
    }
    return kind === 'edit'
      ? { ...stored, content: `edited at ${now}`, editedAt: now }
      : { ...stored, deletedAt: now }
  }

  for (const moment of moments) {
    const died = new Promise<void>((resolve) => {
      Object.assign(crash, { after: moment[0]?.dies, reached: resolve })
    })
    const taken = moment.map((one) => ({ actor: findActor(one), over: take(one) }))
    const overOf = (who: number | undefined) =>
      Promise.all(taken.flatMap(({ actor, over }) => (actor === who ? [over] : [])))
    // Only one person's write stops there. A real crash would stop all others too.
    const othersOver = died.then(() => Promise.any([overOf(0), overOf(1)]))
    await Promise.all([
      overOf(undefined),
      Promise.race([overOf(0).then(() => overOf(1)), othersOver]),
    ])
    const hasDied = moment[0]?.dies !== undefined && crash.after === undefined
    crash.after = undefined
    if (hasDied) t.restart()
  }
  t.restart()
  await expect.poll(() => t.acceptance.healCopies()).toBe(0)
  await expect.poll(countHints).toBe(0)
  for (const author of [0, 1]) {
    for (const { _id } of must(written[author], 'messages')) {
      const [own, theirs] = await Promise.all([
        t.readMessage(must(people[author], 'a person'), _id),
        t.readMessage(must(people[1 - author], 'a person'), _id),
      ])
      if (acknowledged.has(_id)) expect(own).toBeDefined()
      if (theirs || (own && isAccepted(own))) expect(pickShared(theirs)).toEqual(pickShared(own))
    }
  }
}

const countHints = async () => (await opened.t.storage.database('debts').range({})).length

function pickShared(copy: MessageDocument | undefined) {
  const { _id, content, editedAt, deletedAt, orderedAt, reactions } = must(copy, 'a copy')
  return { _id, content, editedAt, deletedAt, orderedAt, reactions }
}
