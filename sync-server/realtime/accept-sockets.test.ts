import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import express from 'express'
import { expect, it, onTestFinished } from 'vitest'
import { socketProtocol } from '../../schema/api/socket-events.ts'
import { acceptSockets } from './accept-sockets.ts'

const many = 100

it('P12: of sockets that come all at once, a few open in each turn of the event loop', async () => {
  const app = express()
  const server = createServer(app)
  const byTurn = new Map<number, number>()
  const turn = { number: 0, isOver: false }
  function countTurn() {
    turn.number += 1
    if (!turn.isOver) setImmediate(countTurn)
  }
  countTurn()
  const sockets = acceptSockets({
    app,
    server,
    publicUrl: undefined,
    openSocket: () => byTurn.set(turn.number, (byTurn.get(turn.number) ?? 0) + 1),
  })
  const accepted = { count: 0 }
  server.on('connection', () => {
    accepted.count += 1
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const lines = Array.from({ length: many }, () => connect(port, '127.0.0.1'))
  onTestFinished(() => {
    turn.isOver = true
    for (const line of lines) line.destroy()
    sockets.close()
    server.close()
  })
  // Only lines that the server has taken can speak all in one of its turns.
  await expect.poll(() => accepted.count).toBe(many)
  const head = [
    'GET / HTTP/1.1',
    `host: 127.0.0.1:${port}`,
    'connection: upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    `sec-websocket-protocol: ${socketProtocol}`,
  ]
  for (const line of lines) line.write(`${head.join('\r\n')}\r\n\r\n`)
  await expect.poll(sockets.count).toBe(many)
  // The test counts turns beside the server: two of its turns can lie in one of them.
  expect(Math.max(...byTurn.values())).toBeLessThanOrEqual(2 * 16)
  expect([...byTurn.values()].reduce((sum, count) => sum + count)).toBe(many)
})
