import { afterAll, expect, test } from 'vitest'
import {
  composer,
  countFrames,
  openChat,
  readPresence,
  readTicks,
  say,
  typeUntilSeen,
} from './chat-steps.ts'
import { startTwoPeople } from './start-two-people.ts'

/** A polling device retries the socket at most half a minute apart. */
const whenTriedAgain = { timeout: 60_000 }
const people = await startTwoPeople()
afterAll(() => people.close())

/** Requests to /poll that Ann's browser has made. */
const polls: string[] = []

/** Each sees the other begin to type. */
async function typeBothWays() {
  const { ann, ben } = people
  for (const { page } of [ann, ben]) await expect.poll(() => readPresence(page)).toBe('online')
  await typeUntilSeen({ typist: ben.page, reader: ann.page })
  await typeUntilSeen({ typist: ann.page, reader: ben.page })
}

test('where WebSocket gets through nothing polls', async () => {
  const { ann, ben } = people
  const readHeard = countFrames(ann.page)
  await ann.page.reload()
  ann.page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/poll') polls.push(request.method())
  })
  await openChat(ann.page, 'ben')
  await openChat(ben.page, 'ann')
  await expect.poll(() => readPresence(ann.page)).toBe('online')
  // A socket that opens late on a busy machine is replaced until then.
  await expect.poll(readHeard).toBeGreaterThan(0)
  // What the browser has received the app may not have heard yet.
  await typeBothWays()
  polls.length = 0
  await typeBothWays()
  expect(polls).toEqual([])
  for (const { page } of [ann, ben]) await composer(page).fill('')
})

test('P7: with WebSocket blocked, presence, typing and messages go on by polls', async () => {
  const { ann, ben } = people
  ann.network.blockSockets()
  await expect.poll(() => polls.includes('GET')).toBe(true)
  await expect.poll(() => readPresence(ann.page)).toBe('online')
  await typeUntilSeen({ typist: ben.page, reader: ann.page })
  await composer(ben.page).fill('')
  await expect.poll(() => readPresence(ben.page)).toBe('online')
  await typeUntilSeen({ typist: ann.page, reader: ben.page })
  await expect.poll(() => polls).toContain('POST')
  await say(ann.page, 'hello by polls')
  await expect.poll(() => readTicks(ann.page, 'hello by polls')).toBe('Read')
})

test('P7: when WebSocket gets through again, the polls end', async () => {
  const { ann } = people
  // Reports of blocked attempts may still arrive: the attempt that receives something counts.
  const readHeard = countFrames(ann.page)
  ann.network.allowSockets()
  await expect.poll(readHeard, whenTriedAgain).toBeGreaterThan(0)
  await typeBothWays()
  polls.length = 0
  await typeBothWays()
  expect(polls).toEqual([])
})
