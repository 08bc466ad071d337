import { expect, test } from 'vitest'
import { createDeferred } from '../../schema/helpers/deferred.ts'
import { openPushClock } from '../testing/open-push-clock.ts'
import { createPushQueue, type EntryOutcome, type PushEntry } from './push-queue.ts'

const sent = { kind: 'sent' } as const

function open(
  send: (entry: PushEntry) => Promise<EntryOutcome>,
  bounds?: Parameters<typeof createPushQueue>[0]['bounds'],
) {
  const { clock, advance, nextInMs } = openPushClock()
  const begun: string[] = []
  const queue = createPushQueue({
    clock,
    random: () => 1,
    onError: (error) => begun.push(String(error)),
    ...(bounds && { bounds }),
    async send(entry) {
      begun.push(entry.messageIds.join())
      return await send(entry)
    },
  })
  const add = (host: string, person: string, messageId: string, peerId = 'ann') =>
    queue.add({
      device: {
        _id: `push:${person}:1`,
        userId: person,
        sessionId: '1',
        endpoint: `https://${host}/1`,
        keys: { p256dh: '', auth: '' },
        addedAt: 0,
      },
      peerId,
      messageIds: [messageId],
      count: 1,
      queuedAt: clock.now(),
    })
  return { queue, add, begun, advance, nextInMs }
}

test('a service that does not answer holds up no other', async () => {
  const never = createDeferred<EntryOutcome>()
  const { queue, add, begun } = open(({ device }) =>
    device.endpoint.includes('slow') ? never.promise : Promise.resolve(sent),
  )
  for (let person = 0; person < 100; person += 1) add('slow.example', `s${person}`, `s${person}`)
  for (let person = 0; person < 100; person += 1) add('fast.example', `f${person}`, `f${person}`)
  await expect.poll(() => queue.counts.sent).toBe(100)
  expect(begun.filter((id) => id.startsWith('s'))).toHaveLength(4)
  queue.close()
})

test('what waits is bounded, for all and for each person', async () => {
  const never = createDeferred<EntryOutcome>()
  const { queue, add } = open(() => never.promise, {
    perServiceMax: 1,
    waitingMax: 10,
    perPersonMax: 3,
  })
  add('push.example', 'first', 'under way')
  expect(['1', '2', '3', '4'].map((peer) => add('push.example', 'ben', peer, peer))).toEqual([
    ...[true, true, true, false],
  ])
  // The same chat needs no more room.
  expect(add('push.example', 'ben', '5', '3')).toBe(true)
  const others = Array.from({ length: 10 }, (_, at) => add('push.example', `p${at}`, `m${at}`))
  expect(others.filter(Boolean)).toHaveLength(7)
  expect(queue.counts).toMatchObject({ waiting: 10, dropped: 4 })
  queue.close()
})

test('a failing service is asked with one push, ever later, and then with all that waits', async () => {
  const state = { outcome: { kind: 'later', why: 'down' } as EntryOutcome }
  const { queue, add, begun, advance, nextInMs } = open(async () => state.outcome)
  add('push.example', 'ben', 'm1')
  const waits: (number | undefined)[] = []
  for (const attempt of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) {
    await expect.poll(() => queue.counts.failed).toBe(attempt)
    await expect.poll(nextInMs).toBeGreaterThan(0)
    waits.push(nextInMs())
    if (attempt === 3) for (const id of ['m2', 'm3', 'm4', 'm5']) add('push.example', id, id)
    advance(nextInMs() ?? 0)
  }
  expect(waits.slice(0, 4)).toEqual([5_000, 10_000, 20_000, 40_000])
  expect(Math.max(...waits.map(Number))).toBe(15 * 60_000)
  await expect.poll(() => queue.counts.failed).toBe(11)
  expect(begun).toHaveLength(11)
  state.outcome = sent
  await expect.poll(nextInMs).toBeGreaterThan(0)
  advance(nextInMs() ?? 0)
  await expect.poll(() => queue.counts.sent).toBe(5)
  queue.close()
})

test('a `Retry-After` is kept, up to a day, and a push that waited longer is dropped', async () => {
  const state = { outcome: { kind: 'later', why: 'busy', afterMs: 1e12 } as EntryOutcome }
  const { queue, add, advance, nextInMs } = open(async () => state.outcome)
  add('push.example', 'ben', 'm1')
  await expect.poll(nextInMs).toBe(24 * 60 * 60_000)
  advance(24 * 60 * 60_000 + 1)
  await expect.poll(() => queue.counts.dropped).toBe(1)
  queue.close()
})
