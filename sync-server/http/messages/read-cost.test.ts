import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { countingReads } from '../../storage/testing/counting-reads.ts'
import { openTestChat, type TestChat } from '../../testing/open-test-chat.ts'
import type { TestPerson } from '../../testing/start-test-app.ts'

const few = 100
const many = 2_000
const tallyEvery = 10
/**
 * Twice the distance to the nearest tally, a key and a document each, plus finding it: 2,000
 * messages cost 4,000 reads.
 */
const allowed = 2 * (2 * tallyEvery + 20)

const histories = new Map<number, History>()
beforeAll(async () => {
  for (const count of [few, many]) histories.set(count, await openHistory(count))
})
afterAll(async () => {
  for (const { chat } of histories.values()) await chat.close()
})

/** Two people with `count` messages each; a fixed number is starred, deleted, read and cleared. */
async function openHistory(count: number) {
  const reads = countingReads()
  const chat = await openTestChat({ wrapLevel: reads.wrap, tallyEvery })
  const ann = await chat.register('Ann')
  const ben = await chat.register('Ben')
  const ids = await pushTurns(chat, [ann, ben], count)
  for (const id of ids.slice(-3))
    await chat.as(ben).put(`/messages/${id}/star`, { isStarred: true })
  for (const id of ids.slice(-6, -3)) await chat.as(ann).remove(`/messages/${id}`)
  return { chat, ann, ben, ids, reads }
}

type History = Awaited<ReturnType<typeof openHistory>>

/** Moves one of Ben's marks into the middle of Ann's messages: marks only rise. */
async function mark({ chat, ann, ben, ids }: History, marked: 'unread' | 'read' | 'cleared') {
  if (marked === 'unread') return
  const id = must(ids[ids.length / 2], 'a message in the middle')
  const { orderedAt } = await chat.readStored(ben, id)
  const field = marked === 'read' ? 'readUpTo' : 'clearedUpTo'
  const body = { docs: [{ _id: ann.userId, [field]: orderedAt }] }
  const { token } = ben
  await chat.app.call('POST', '/sync/conversations/_bulk_docs', { token, body })
}

async function pushTurns(chat: TestChat, people: [TestPerson, TestPerson], count: number) {
  const annsIds: string[] = []
  for (let begun = 0; begun < count; begun += 50) {
    for (const [person, peer] of [people, people.toReversed()] as [TestPerson, TestPerson][]) {
      const docs = Array.from({ length: Math.min(50, count - begun) }, () =>
        writePushed(person, peer),
      )
      const { token } = person
      await chat.app.call('POST', '/sync/messages/_bulk_docs', { token, body: { docs } })
      if (person === people[0]) annsIds.push(...docs.map(({ _id }) => _id))
    }
  }
  return annsIds
}

function writePushed({ userId }: TestPerson, peer: TestPerson) {
  const now = Date.now()
  return {
    _id: uuidv7(),
    peerId: peer.userId,
    senderId: userId,
    recipientId: peer.userId,
    content: 'pushed',
    createdAt: now,
    orderedAt: now,
  }
}

const calls = {
  conversations: () => '/messages/conversations',
  stats: (ann: TestPerson) => `/messages/conversations/${ann.userId}/stats`,
  starred: () => '/messages/starred',
}

async function readsOf(history: History, call: keyof typeof calls): Promise<number> {
  const { chat, ann, ben, reads } = history
  const before = reads.count()
  const { status } = await chat.as(ben).get(calls[call](ann))
  expect(status).toBe(200)
  return reads.count() - before
}

describe.each(['conversations', 'stats', 'starred'] as const)('P12: what %s reads', (call) => {
  it.each(['unread', 'read', 'cleared'] as const)(
    'does not grow with the messages: %s ones',
    async (marked) => {
      const short = must(histories.get(few), 'a short history')
      const long = must(histories.get(many), 'a long history')
      for (const history of [short, long]) await mark(history, marked)
      const atFew = await readsOf(short, call)
      // The latest message may still be counted separately.
      const atMany = () => readsOf(long, call)
      await expect.poll(atMany).toBeLessThanOrEqual(atFew + allowed)
    },
  )
})
