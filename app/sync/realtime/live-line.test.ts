import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import NodeWebSocket from 'ws'
import { socketCloseCodes, socketProtocol } from '../../../schema/api/socket-events.ts'
import { createLabPage } from '../../lab/device/lab-page.ts'
import { createLiveLine } from './live-line.ts'

const until = (isTrue: () => boolean) => expect.poll(isTrue).toBe(true)

/** A line to a server that counts polls, and closes sockets on command. */
async function start() {
  const server = new NodeWebSocket.Server({
    port: 0,
    host: '127.0.0.1',
    handleProtocols: () => socketProtocol,
  })
  await once(server, 'listening')
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
