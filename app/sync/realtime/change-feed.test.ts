import { expect, onTestFinished, test, vi } from 'vitest'
import type { ClientEvent } from '../../../schema/api/socket-events.ts'
import { createChangeFeed } from './change-feed.ts'

const never = new AbortController().signal
const doc = (id: string, rev = '1-a') => ({ _id: id, _rev: rev })

function open() {
  const said: ClientEvent[] = []
  const line = { isUp: true }
  const feed = createChangeFeed({
    send(event) {
      if (line.isUp) said.push(event)
      return line.isUp
    },
  })
  feed.open()
  const hear = (from: number, to: number, ...docs: ReturnType<typeof doc>[]) =>
    feed.handle({ event: 'changes', data: { database: 'messages', from, to, docs } })
  const next = (since: number, signal = never) =>
    feed.next({ database: 'messages', since: String(since), epoch: 'e', signal })
  return { feed, said, line, hear, next }
}

const contents = (heard: Awaited<ReturnType<ReturnType<typeof open>['next']>>) =>
  heard && [heard.results.map(({ doc }) => `${doc._id} ${doc._rev}`), heard.last_seq]

test('what comes after a place is handed over once, joined, in the order of the last change', async () => {
  const { said, hear, next } = open()
  const first = next(7)
  hear(7, 8, doc('a'))
  expect(contents(await first)).toEqual([['a 1-a'], 8])
  hear(8, 9, doc('a', '2-b'))
  hear(9, 11, doc('b'), doc('a', '3-c'))
  expect(contents(await next(8))).toEqual([['b 1-a', 'a 3-c'], 11])
  expect(said).toEqual([
    { event: 'follow-changes', data: { database: 'messages', since: 7, epoch: 'e' } },
  ])
})

test('P7: a frame that is lost, doubled or overtaken makes it ask', async () => {
  for (const [from, to] of [
    [8, 9],
    [6, 7],
  ] as const) {
    const { hear, next } = open()
    const waiting = next(7)
    hear(from, to, doc('a'))
    expect(await waiting).toBeUndefined()
  }
})

test('P7: asks when something was missed, and follows again from where it then stands', async () => {
  const { feed, said, hear, next } = open()
  const waiting = next(7)
  feed.handle({ event: 'changes-missed', data: { database: 'messages' } })
  expect(await waiting).toBeUndefined()
  hear(7, 8, doc('late'))
  const again = next(12)
  await expect.poll(() => said.length).toBe(2)
  hear(12, 13, doc('a'))
  expect(contents(await again)).toEqual([['a 1-a'], 13])
})

test('P7: the last frame is missed too when it was lost', async () => {
  const { feed, hear, next } = open()
  const first = next(7)
  hear(7, 8, doc('a'))
  await first
  const waiting = next(8)
  feed.handle({ event: 'here', data: { messages: 8 } })
  feed.handle({ event: 'here', data: { messages: 9 } })
  expect(await waiting).toBeUndefined()
})

test('P7: word of having missed something is not needed to notice it', async () => {
  const { feed, next } = open()
  const waiting = next(7)
  feed.handle({ event: 'here', data: {} })
  expect(await waiting).toBeUndefined()
})

test('P7: asks when the line goes down, while there is none, and where it cannot be told', async () => {
  const { feed, line, next } = open()
  const waiting = next(7)
  feed.forget()
  expect(await waiting).toBeUndefined()
  expect(await next(7)).toBeUndefined()
  feed.open()
  line.isUp = false
  expect(await next(7)).toBeUndefined()
})

test('of two that wait at one place one is given what comes, and the other asks', async () => {
  const { hear, next } = open()
  const both = [next(7), next(7)]
  hear(7, 8, doc('a'))
  expect((await Promise.all(both)).map(contents)).toEqual([[['a 1-a'], 8], undefined])
})

test('P12: says when it wants nothing more', async () => {
  const { feed, said, hear, next } = open()
  const stop = new AbortController()
  const waiting = next(7, stop.signal)
  await expect.poll(() => said).toHaveLength(1)
  feed.stop()
  expect(said.at(-1)).toEqual({ event: 'follow-changes', data: { database: 'messages' } })
  hear(7, 8, doc('late'))
  stop.abort(new Error('closed'))
  await expect(waiting).rejects.toThrow('closed')
})

test('P12: says so too where a frame was lost, and it has not followed again', async () => {
  const { feed, said, hear, next } = open()
  const waiting = next(7)
  hear(8, 9, doc('a'))
  expect(await waiting).toBeUndefined()
  feed.stop()
  expect(said.at(-1)).toEqual({ event: 'follow-changes', data: { database: 'messages' } })
})

test('P12: follows no more than five times a second when each place is old at once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { feed, said, next } = open()
  const miss = () => feed.handle({ event: 'changes-missed', data: { database: 'messages' } })
  const begun = performance.now()
  for (let asked = 0; asked < 10; asked += 1) {
    const waiting = next(asked)
    while (said.length === asked) await vi.advanceTimersByTimeAsync(10)
    miss()
    await vi.advanceTimersByTimeAsync(200)
    expect(await waiting).toBeUndefined()
  }
  expect(performance.now() - begun).toBeGreaterThanOrEqual(9 * 200)
})

test('P7: where a chat is busy it asks when it may follow again, and follows from the answer at once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { feed, said, next } = open()
  const answers: unknown[] = []
  void next(1).then((answer) => answers.push(answer))
  await vi.advanceTimersByTimeAsync(50)
  feed.handle({ event: 'changes-missed', data: { database: 'messages' } })
  await vi.advanceTimersByTimeAsync(149)
  expect(answers).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(answers).toEqual([undefined])
  void next(9)
  await vi.advanceTimersByTimeAsync(0)
  expect(said.map(({ data }) => data)).toMatchObject([{ since: 1 }, { since: 9 }])
})

test('P7: a place that had to wait is asked for, not followed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { feed, said, hear, next } = open()
  const first = next(1)
  await vi.advanceTimersByTimeAsync(0)
  hear(1, 2, doc('a'))
  await first
  feed.handle({ event: 'changes-missed', data: { database: 'messages' } })
  const second = next(2)
  await vi.advanceTimersByTimeAsync(200)
  expect(await second).toBeUndefined()
  expect(said).toHaveLength(1)
})

test('untaken frames are not kept for ever', async () => {
  const { hear, next } = open()
  const first = next(0)
  hear(0, 1, doc('first'))
  await first
  for (let at = 1; at <= 201; at += 1) hear(at, at + 1, doc(`message ${at}`))
  expect(await Promise.race([next(1), Promise.resolve('waits')])).toBe('waits')
})

test('ends with the replication that waits', async () => {
  const { next } = open()
  const stop = new AbortController()
  const waiting = next(7, stop.signal)
  stop.abort(new Error('closed'))
  await expect(waiting).rejects.toThrow('closed')
})
