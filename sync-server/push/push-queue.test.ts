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
    async send(entry, leave) {
      begun.push(entry.messageIds.join())
      leave()
      return await send(entry)
    },
  })
  const add = (host: string, person: string, messageId: string, peerId = 'ann', sessionId = '1') =>
    queue.add({
      device: {
        _id: `push:${person}:${sessionId}`,
        userId: person,
        sessionId,
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

test('P12: twenty devices of one person whose hosts answer after 9 s hold up nobody else', async () => {
  const open20 = Array.from({ length: 20 }, (_, at) => `slow-${at}.example`)
  const slow: ((outcome: EntryOutcome) => void)[] = []
  const { queue, add, begun, advance } = open(async ({ device }) => {
    if (!device.endpoint.includes('slow')) return sent
    const answer = createDeferred<EntryOutcome>()
    slow.push(answer.resolve)
    return await answer.promise
  })
  const attack = (round: number) => {
    for (const [at, host] of open20.entries())
      for (const peer of ['carl', 'dora', 'emil'])
        add(host, 'mallory', `mallory-${round}`, peer, String(at))
  }
  for (const round of [1, 2, 3, 4]) {
    attack(round)
    add('push.example', 'ben', `ben-${round}`)
    add('other.example', 'cleo', `cleo-${round}`)
    // No time passes: both have left at once.
    await expect.poll(() => queue.counts.sent).toBe(round * 2 + (round - 1) * 2)
    expect(begun).toEqual(expect.arrayContaining([`ben-${round}`, `cleo-${round}`]))
    expect(queue.counts.active).toBe(2)
    const holding = slow.splice(0)
    advance(9_000)
    for (const answer of holding) answer(sent)
    await expect.poll(() => queue.counts.sent).toBe(round * 4)
    await expect.poll(() => slow.length).toBe(2)
  }
  queue.close()
})

test('P12: no number of people with slow hosts of their own takes all places', async () => {
  const { queue, add, begun } = open(({ device }) =>
    device.endpoint.includes('slow')
      ? createDeferred<EntryOutcome>().promise
      : Promise.resolve(sent),
  )
  add('push.example', 'ben', 'before')
  await expect.poll(() => queue.counts.sent).toBe(1)
  for (let at = 0; at < 100; at += 1) add(`slow-${at}.example`, `mallory-${at}`, `slow-${at}`)
  add('push.example', 'ben', 'meanwhile')
  await expect.poll(() => queue.counts.sent).toBe(2)
  expect(begun.filter((id) => id.startsWith('slow'))).toHaveLength(8)
  queue.close()
})

test('P12: people take turns at one service', async () => {
  const answers: ((outcome: EntryOutcome) => void)[] = []
  const { queue, add, begun } = open(
    () => {
      const answer = createDeferred<EntryOutcome>()
      answers.push(answer.resolve)
      return answer.promise
    },
    { perServiceMax: 1 },
  )
  for (let at = 0; at < 50; at += 1) add('push.example', 'mallory', `mallory-${at}`, `peer-${at}`)
  add('push.example', 'ben', 'ben')
  add('push.example', 'cleo', 'cleo')
  for (const count of [1, 2, 3, 4, 5]) {
    await expect.poll(() => begun.length).toBe(count)
    answers.pop()?.(sent)
  }
  // The second was the only one that waited when the first left.
  expect(begun.slice(0, 5)).toEqual(['mallory-0', 'mallory-1', 'ben', 'cleo', 'mallory-2'])
  queue.close()
})

test('P12: a service that answers late is asked with one push, ever later, and keeps none back', async () => {
  const answers: ((outcome: EntryOutcome) => void)[] = []
  const { queue, add, begun, advance, nextInMs } = open(() => {
    const answer = createDeferred<EntryOutcome>()
    answers.push(answer.resolve)
    return answer.promise
  })
  for (let at = 0; at < 9; at += 1) add('push.example', `p${at}`, `m${at}`)
  expect(begun).toHaveLength(4)
  advance(9_000)
  for (const answer of answers.splice(0)) answer(sent)
  await expect.poll(() => queue.counts.sent).toBe(4)
  expect(begun).toHaveLength(4)
  const waits: (number | undefined)[] = []
  for (const count of [5, 6, 7]) {
    await expect.poll(nextInMs).toBeGreaterThan(0)
    advance(nextInMs() ?? 0)
    expect(begun).toHaveLength(count)
    advance(9_000)
    answers.pop()?.(sent)
    await expect.poll(() => queue.counts.sent).toBe(count)
    waits.push(nextInMs())
  }
  expect(waits).toEqual([60_000, 60_000, 60_000])
  // In time again: what waits leaves at once.
  advance(60_000)
  answers.pop()?.(sent)
  await expect.poll(() => begun.length).toBe(9)
  queue.close()
})
