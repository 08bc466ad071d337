import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import NodeWebSocket from 'ws'
import {
  bearerProtocolPrefix,
  changesProtocol,
  type ServerEvent,
  socketCloseCodes,
  socketProtocol,
  socketWords,
} from '../../../schema/api/socket-events.ts'
import { wireProtocolPrefix, wireVersion } from '../../../schema/api/wire.ts'
import { createLabPage } from '../../lab/kit/page.ts'
import { createSocket } from './socket.ts'

async function start({
  protocol = socketProtocol,
  silenceMs,
  readToken = () => 'a.b.c',
}: {
  protocol?: string
  silenceMs?: number
  readToken?: () => string
} = {}) {
  const server = new NodeWebSocket.Server({
    port: 0,
    host: '127.0.0.1',
    handleProtocols: () => protocol,
  })
  await once(server, 'listening')
  const page = createLabPage()
  const heard: ServerEvent[] = []
  const seen = { opened: 0, down: 0, signedOut: 0, why: '' }
  const protocols: (string | undefined)[] = []
  const clock = { aheadMs: 0 }
  server.on('connection', (_socket, request) => {
    protocols.push(request.headers['sec-websocket-protocol'])
  })
  const socket = createSocket({
    platform: {
      WebSocket: NodeWebSocket as unknown as typeof WebSocket,
      page,
      random: () => 1,
      now: () => Date.now() + clock.aheadMs,
    },
    serverUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    readToken,
    onOpen: () => (seen.opened += 1),
    onEvent: (event) => heard.push(event),
    onDown: (why) => {
      seen.down += 1
      seen.why = why
    },
    onSignedOut: () => (seen.signedOut += 1),
    ...(silenceMs !== undefined && { silenceMs }),
  })
  onTestFinished(() => {
    socket.close()
    server.close()
  })
  const until = (isTrue: () => boolean) => expect.poll(isTrue).toBe(true)
  return { server, socket, page, heard, seen, protocols, clock, until }
}

/** Advances virtual time, and lets the connections made in it come and go. */
async function passTime(ms: number) {
  for (let passed = 0; passed < ms; passed += 100) {
    for (let turns = 0; turns < 20; turns += 1) await new Promise((done) => setImmediate(done))
    await vi.advanceTimersByTimeAsync(100)
  }
}

test('it says who it is and what it understands by its protocols, and hears that', async () => {
  const { server, socket, heard, seen, protocols, until } = await start()
  await until(() => seen.opened === 1)
  expect(protocols[0]?.split(/, ?/)).toEqual([
    changesProtocol,
    socketProtocol,
    ...socketWords.map((word) => `understands.${word}`),
    `${wireProtocolPrefix}${wireVersion}`,
    `${bearerProtocolPrefix}a.b.c`,
  ])
  const [peer] = server.clients
  const frames: string[] = []
  peer?.on('message', (frame) => frames.push(String(frame)))
  peer?.send('not JSON')
  peer?.send('{"event":"from-the-future","data":{}}')
  peer?.send('{"event":"users-online","data":[]}')
  expect(socket.send({ event: 'user-online', data: 'ann' })).toBe(true)
  await until(() => heard.length === 1 && frames.length === 1)
  expect(heard).toEqual([{ event: 'users-online', data: [] }])
  expect(frames).toEqual(['{"event":"user-online","data":"ann"}'])
})

test('a connection that breaks is made again, at once when the page comes to the front', async () => {
  const { server, socket, page, seen, until } = await start()
  await until(() => seen.opened === 1)
  for (const peer of server.clients) peer.terminate()
  await until(() => seen.down === 1)
  expect(socket.send({ event: 'user-online', data: 'ann' })).toBe(false)
  page.setVisible(true)
  await until(() => seen.opened === 2)
})

test('P12: a server that closes each connection on arrival is tried ever less often', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { server, seen } = await start()
  server.on('connection', (peer) => peer.close(1011, 'The server could not open this connection.'))
  await passTime(60_000)
  expect(seen.opened).toBeGreaterThan(5)
  expect(seen.opened).toBeLessThanOrEqual(12)
})

test('a line that lived for long is made again after a second, however often', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { server, seen, clock, until } = await start()
  for (let lives = 1; lives <= 10; lives += 1) {
    await until(() => seen.opened === lives)
    clock.aheadMs += 60_000
    for (const peer of server.clients) peer.terminate()
    await until(() => seen.down === lives)
    await vi.advanceTimersByTimeAsync(1_000)
  }
})

test('without a network it is down at once, and hears nothing of before', async () => {
  const { server, socket, page, heard, seen, until } = await start()
  await until(() => seen.opened === 1)
  const [peer] = server.clients
  page.setOnline(false)
  await until(() => seen.down === 1)
  expect(socket.send({ event: 'user-online', data: 'ann' })).toBe(false)
  peer?.send('{"event":"users-online","data":["ben"]}')
  page.setOnline(true)
  await until(() => seen.opened === 2)
  expect(heard).toEqual([])
})

test('an ended sign-in is reported, and not retried', async () => {
  const { server, page, seen, until } = await start()
  await until(() => seen.opened === 1)
  for (const peer of server.clients) peer.close(4401, 'Please sign in again.')
  await until(() => seen.signedOut === 1)
  page.setVisible(true)
  await new Promise(setImmediate)
  expect(seen.opened).toBe(1)
})

test('P12: one that had to make room for another tab comes back with the person, and not before', async () => {
  const { server, socket, page, seen, until } = await start()
  const displace = () => {
    for (const peer of server.clients) peer.close(socketCloseCodes.displaced, 'too many')
  }
  await until(() => seen.opened === 1)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  displace()
  await until(() => seen.down === 1)
  expect(seen.why).toBe('displaced')
  await vi.advanceTimersByTimeAsync(600_000)
  expect(socket.send({ event: 'user-online', data: 'ann' })).toBe(false)
  page.tellOnline()
  await vi.advanceTimersByTimeAsync(600_000)
  expect(seen.opened).toBe(1)
  page.setVisible(true)
  await until(() => seen.opened === 2)

  displace()
  await until(() => seen.down === 2)
  expect(socket.send({ event: 'typing', data: { recipientId: 'ben' } })).toBe(false)
  await until(() => seen.opened === 3)
})

test('P7: a line on which nothing comes any more is made again; a server of the first version may be silent', async () => {
  const quick = { silenceMs: 30 }
  const second = await start({ ...quick, protocol: changesProtocol })
  await second.until(() => second.seen.down >= 1)
  await second.until(() => second.seen.opened >= 2)
  const first = await start(quick)
  await first.until(() => first.seen.opened === 1)
  const speaking = await start({ ...quick, protocol: changesProtocol })
  const talk = setInterval(() => {
    for (const peer of speaking.server.clients) peer.send('{"event":"here","data":{}}')
  }, 5)
  onTestFinished(() => clearInterval(talk))
  await expect.poll(() => speaking.heard.length).toBeGreaterThan(20)
  expect(first.seen.down).toBe(0)
})

test('4401 that was said of an earlier sign-in ends no later one: it connects with that', async () => {
  const state = { token: 'old' }
  const { server, seen, protocols, until } = await start({ readToken: () => state.token })
  await until(() => seen.opened === 1)
  state.token = 'new'
  for (const peer of server.clients) peer.close(socketCloseCodes.signInEnded)
  await until(() => seen.opened === 2)
  expect(seen.signedOut).toBe(0)
  expect(protocols[1]).toContain(`${bearerProtocolPrefix}new`)
  for (const peer of server.clients) peer.close(socketCloseCodes.signInEnded)
  await until(() => seen.signedOut === 1)
})

test('P7: a failed request makes it reconnect, unless the line has just received something', async () => {
  const { server, socket, heard, seen, until } = await start({ protocol: changesProtocol })
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  await until(() => seen.opened === 1)
  await vi.advanceTimersByTimeAsync(60_000)
  for (const far of server.clients) far.send(JSON.stringify({ event: 'here', data: {} }))
  await until(() => heard.length === 1)
  socket.doubt()
  expect(seen.down).toBe(0)
  await vi.advanceTimersByTimeAsync(15_000)
  socket.doubt()
  await until(() => seen.down === 1 && seen.opened === 2)
})

test('P7: after a sleep a silent line is made again when the person or the network returns', async () => {
  // No timer fires in a sleep, so none may be needed after it.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const second = await start({ protocol: changesProtocol })
  const first = await start()
  await second.until(() => second.seen.opened === 1 && first.seen.opened === 1)
  second.page.setVisible(false)
  for (const { clock } of [second, first]) clock.aheadMs += 60_000
  for (const { page } of [second, first]) page.setVisible(true)
  await second.until(() => second.seen.opened === 2)
  second.clock.aheadMs += 60_000
  second.page.tellOnline()
  await second.until(() => second.seen.opened === 3)
  expect(second.seen).toMatchObject({ down: 2, why: 'broken' })
  // A server of the first version may be silent.
  expect(first.seen.down).toBe(0)
})

test('a line that said something in the last half minute is believed when the person returns', async () => {
  const { server, page, heard, seen, clock, until } = await start({ protocol: changesProtocol })
  await until(() => seen.opened === 1)
  for (let here = 1; here <= 3; here += 1) {
    clock.aheadMs += 25_000
    for (const peer of server.clients) peer.send('{"event":"here","data":{}}')
    await until(() => heard.length === here)
  }
  clock.aheadMs += 25_000
  page.setVisible(true)
  page.tellOnline()
  expect(seen).toMatchObject({ opened: 1, down: 0 })
})
