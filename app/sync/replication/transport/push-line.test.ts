import { expect, onTestFinished, test, vi } from 'vitest'
import type { ClientEvent } from '../../../../schema/api/socket-events.ts'
import { must } from '../../../../schema/helpers/assertions.ts'
import type { LabDevice } from '../../../lab/device/lab-device-types.ts'
import { openTestLab } from '../../../lab/open-test-lab.ts'
import { createPushLine } from './push-line.ts'

/** How a device pushes from now on: `POST messages` by a request, `PUSH messages` over the line. */
function watchPushes({ network }: LabDevice) {
  const before = network.listRequests().length
  return () =>
    network
      .listRequests()
      .slice(before)
      .filter((line) => line.endsWith('/_bulk_docs'))
      .map((line) => line.replace(/\/sync\/(\w+)\/_bulk_docs$/, '$1'))
}

async function openChat() {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await phone.say(ben, 'the first')
  // What is pushed before the line is up goes by a request.
  await expect.poll(lab.server.stats).toMatchObject({ sockets: 2, followed: 4 })
  await lab.settle()
  return { lab, ann, ben, phone, tablet }
}

test('a message and its marks go over the line, without a request', async () => {
  const { lab, ann, ben, phone, tablet } = await openChat()
  const [listSent, listMarks] = [watchPushes(phone), watchPushes(tablet)]
  await phone.say(ben, 'hello')
  await lab.settle()
  await tablet.messenger.commands.markRead(ann.userId)
  await lab.settle()
  await lab.expectConverged()
  expect(listSent()).toEqual(['PUSH messages'])
  expect(new Set(listMarks())).toEqual(new Set(['PUSH conversations']))
})

test('P2 P7: a push whose answer is lost with the line is asked by a request, and is one message', async () => {
  const { lab, ben, phone } = await openChat()
  const listSent = watchPushes(phone)
  phone.network.loseResponses(1)
  await phone.say(ben, 'hello')
  await lab.settle()
  await lab.expectConverged()
  expect(listSent()).toEqual(['PUSH messages', 'POST messages'])
})

test('P2 P7: a line that is cut in the middle of a push costs a request, and no message', async () => {
  const { lab, ben, phone } = await openChat()
  const listSent = watchPushes(phone)
  const release = phone.network.holdResponses()
  await phone.say(ben, 'hello')
  await expect.poll(listSent).toEqual(['PUSH messages'])
  phone.network.blockSockets()
  release()
  await lab.settle()
  await lab.expectConverged()
  expect(listSent()).toEqual(['PUSH messages', 'POST messages'])
})

test('what is too large for a frame goes by a request', async () => {
  const { lab, ben, phone } = await openChat()
  const listSent = watchPushes(phone)
  const long = '🌊'.repeat(3_200)
  await phone.say(ben, long)
  await lab.settle()
  await lab.expectConverged()
  expect(listSent()).toEqual(['POST messages'])
})

test('without a line of the second version pushes are requests', async () => {
  const { lab, ben, phone } = await openChat()
  phone.network.speakFirstVersion()
  await lab.settle()
  const listSent = watchPushes(phone)
  await phone.say(ben, 'hello')
  await lab.settle()
  phone.network.blockSockets()
  await phone.say(ben, 'and a poll')
  await lab.settle()
  await lab.expectConverged()
  expect(listSent()).toEqual(['POST messages', 'POST messages'])
})

/** A line whose other end the test plays, before a server that is asked by requests. */
function openLine({ isTaken = true } = {}) {
  const said: Extract<ClientEvent, { event: 'push-documents' }>['data'][] = []
  const line = { isUp: true, now: 1_000_000 }
  const asked: string[] = []
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const pushes = createPushLine({
    send(event) {
      if (line.isUp && event.event === 'push-documents') said.push(event.data)
      return line.isUp
    },
    fetch: async (url, init) => {
      asked.push(`${url} ${init?.body}`)
      return Response.json('by a request')
    },
    now: () => line.now,
  })
  const open = () => {
    pushes.recordFrame()
    pushes.handle({ event: 'pushes-taken', data: true })
  }
  if (isTaken) open()
  const push = (init: RequestInit = {}, url = 'http://server/sync/messages/_bulk_docs') =>
    pushes.fetch(url, { method: 'POST', body: '{"docs":[{"_id":"a"}]}', ...init })
  const answer = (status: number, more: { retryAfterSeconds?: number; epoch?: string } = {}) => {
    const { id } = must(said.at(-1), 'a push')
    pushes.handle({
      event: 'push-answered',
      data: { id, status, body: 'over the line', now: 7, ...more },
    })
  }
  const read = async (response: Promise<Response>) => (await response).json()
  return { pushes, line, said, asked, open, push, answer, read }
}

test('an answer over the line is the one that a request would have had', async () => {
  const { push, answer, said, asked } = openLine()
  const pushed = push()
  expect(said).toEqual([{ id: 1, database: 'messages', docs: [{ _id: 'a' }] }])
  answer(429, { retryAfterSeconds: 1, epoch: 'e' })
  const response = await pushed
  expect(response.status).toBe(429)
  expect(await response.json()).toBe('over the line')
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/json',
    'x-petrel-epoch': 'e',
    'x-petrel-now': '7',
    'retry-after': '1',
  })
  expect(asked).toEqual([])
})

test('everything else, and every push before the server takes them, is a request', async () => {
  const { push, open, said, asked, line } = openLine({ isTaken: false })
  await push()
  open()
  await push({}, 'http://server/sync/messages/_all_docs?include_docs=true')
  await push({ body: `{"docs":["${'é'.repeat(7_000)}"]}` })
  line.isUp = false
  await push()
  expect(said).toEqual([])
  expect(asked).toHaveLength(4)
})

test('P7: a line that swallows pushes is waited for once, and trusted again when it was reopened', async () => {
  const { push, read, open, asked, said, pushes } = openLine()
  const first = push()
  await vi.advanceTimersByTimeAsync(4_900)
  expect(asked).toEqual([])
  await vi.advanceTimersByTimeAsync(200)
  expect(await read(first)).toBe('by a request')
  expect(await read(push())).toBe('by a request')
  expect(said).toHaveLength(1)
  pushes.forget()
  open()
  void push()
  expect(said).toHaveLength(2)
})

test('P7: a line that says something else meanwhile is given the same time once more', async () => {
  const { push, answer, read, asked, pushes } = openLine()
  const first = push()
  pushes.recordFrame()
  await vi.advanceTimersByTimeAsync(9_000)
  answer(201)
  expect(await read(first)).toBe('over the line')
  const second = push()
  for (let n = 0; n < 20; n += 1) {
    pushes.recordFrame()
    await vi.advanceTimersByTimeAsync(1_000)
  }
  expect(await read(second)).toBe('by a request')
  expect(asked).toHaveLength(1)
})

test('P7: a push under way when the line breaks is a request at once, and a late answer is no news', async () => {
  const { push, answer, read, asked, pushes } = openLine()
  const pushed = push()
  pushes.forget()
  expect(await read(pushed)).toBe('by a request')
  answer(201)
  answer(201)
  expect(asked).toHaveLength(1)
})

test('a device that slept, and heard nothing since, pushes by a request', async () => {
  const { push, said, asked, line, pushes } = openLine()
  line.now += 60_000
  await push()
  expect([said.length, asked.length]).toEqual([0, 1])
  pushes.recordFrame()
  void push()
  expect([said.length, asked.length]).toEqual([1, 1])
})

test('a sign-in that the line says is over is asked by a request, with the present one', async () => {
  const { push, answer, read } = openLine()
  const pushed = push()
  answer(401)
  expect(await read(pushed)).toBe('by a request')
})

test('a push that nobody waits for any more ends, and is no request', async () => {
  const { push, asked } = openLine()
  const stop = new AbortController()
  const pushed = push({ signal: stop.signal })
  stop.abort(new Error('The replication has ended.'))
  await expect(pushed).rejects.toThrow('The replication has ended.')
  expect(asked).toEqual([])
})

test('P12: more than thirty pushes a second are requests', async () => {
  const { push, said, asked } = openLine()
  for (let n = 0; n < 45; n += 1) void push()
  await vi.advanceTimersByTimeAsync(1_000)
  expect([said.length, asked.length]).toEqual([30, 15])
  for (let n = 0; n < 45; n += 1) void push()
  await vi.advanceTimersByTimeAsync(1)
  expect([said.length, asked.length]).toEqual([60, 30])
})
