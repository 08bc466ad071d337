import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import NodeWebSocket from 'ws'
import { socketCloseCodes, socketProtocol } from '../../../schema/api/socket-events.ts'
import { createLabPage } from '../../lab/kit/page.ts'
import { createLiveLine } from './live-line.ts'

const until = (isTrue: () => boolean) => expect.poll(isTrue).toBe(true)

/** A line to a server that counts polls, and closes sockets on command or on arrival. */
async function start({ closesOnArrival = false } = {}) {
  const server = new NodeWebSocket.Server({
    port: 0,
    host: '127.0.0.1',
    handleProtocols: () => socketProtocol,
  })
  await once(server, 'listening')
  if (closesOnArrival) server.on('connection', (peer) => peer.close(1011, 'for a test'))
  const page = createLabPage()
  const seen = { opened: 0, down: [] as string[], polls: 0 }
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const line = createLiveLine({
    platform: {
      WebSocket: NodeWebSocket as unknown as typeof WebSocket,
      page,
      random: () => 1,
      now: Date.now,
      fetch: () => {
        seen.polls += 1
        return new Promise(() => {})
      },
    },
    serverUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    readToken: () => 'a.b.c',
    onOpen: () => (seen.opened += 1),
    onEvent: () => {},
    onDown: (why) => seen.down.push(why),
    onSignedOut: () => {},
    onOutdated: () => {},
  })
  onTestFinished(() => {
    vi.useRealTimers()
    line.close()
    server.close()
  })
  await until(() => seen.opened === 1)
  const closeAll = (code: number) => {
    for (const peer of server.clients) peer.close(code, 'for a test')
  }
  return { server, page, seen, closeAll }
}

test('P12: a tab that had to make room does not poll in place of its socket', async () => {
  const { page, seen, closeAll } = await start()
  closeAll(socketCloseCodes.displaced)
  await until(() => seen.down.length === 1)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(seen).toEqual({ opened: 1, down: ['displaced'], polls: 0 })
  page.setVisible(true)
  await until(() => seen.opened === 2)
})

test('a tab whose socket breaks polls before long, also after it had made room', async () => {
  const { server, page, seen, closeAll } = await start()
  closeAll(socketCloseCodes.displaced)
  await until(() => seen.down.length === 1)
  server.close()
  page.setVisible(true)
  await until(() => seen.down.includes('broken'))
  await vi.advanceTimersByTimeAsync(2_000)
  await until(() => seen.polls > 0)
})

test('P7: a tab whose socket opens and is closed at once, again and again, polls before long', async () => {
  const { seen } = await start({ closesOnArrival: true })
  await until(() => seen.down.length > 0)
  await expect
    .poll(async () => {
      await vi.advanceTimersByTimeAsync(500)
      return seen.polls
    })
    .toBeGreaterThan(0)
})
