import { afterAll, expect, test } from 'vitest'
import { composer, openChat, readPresence, readTicks, say } from './chat-steps.ts'
import { startTwoPeople } from './start-two-people.ts'

const within = { timeout: 20_000 }
const people = await startTwoPeople()
afterAll(() => people.close())

/** Requests to /poll that Ann's browser has made. */
const polls: string[] = []

test('where WebSocket gets through nothing polls', async () => {
  const { ann, ben } = people
  ann.page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/poll') polls.push(request.method())
  })
  await openChat(ann.page, 'ben')
  await openChat(ben.page, 'ann')
  await expect.poll(() => readPresence(ann.page), within).toBe('online')
  expect(polls).toEqual([])
})

test('P7: with WebSocket blocked, presence, typing and messages go on by polls', async () => {
  const { ann, ben } = people
  ann.network.blockSockets()
  await expect.poll(() => polls.includes('GET'), within).toBe(true)
  await expect.poll(() => readPresence(ann.page), within).toBe('online')
  await composer(ben.page).pressSequentially('thinking')
  await expect.poll(() => readPresence(ann.page), within).toBe('typing...')
  await composer(ben.page).fill('')
  await expect.poll(() => readPresence(ben.page), within).toBe('online')
  await composer(ann.page).pressSequentially('so am I')
  await expect.poll(() => readPresence(ben.page), within).toBe('typing...')
  expect(polls).toContain('POST')
  await say(ann.page, 'hello by polls')
  await expect.poll(() => readTicks(ann.page, 'hello by polls'), within).toBe('Read')
})

test('P7: when WebSocket gets through again, the polls end', async () => {
  const { ann, ben } = people
  const opened = ann.page.waitForEvent('websocket', {
    predicate: (socket) => !socket.isClosed(),
    timeout: 60_000,
  })
  ann.network.allowSockets()
  const socket = await opened
  await socket.waitForEvent('framereceived', { timeout: 60_000 })
  polls.length = 0
  await composer(ben.page).pressSequentially('still there?')
  await expect.poll(() => readPresence(ann.page), within).toBe('typing...')
  await composer(ann.page).pressSequentially('yes')
  await expect.poll(() => readPresence(ben.page), within).toBe('typing...')
  expect(polls).toEqual([])
})
