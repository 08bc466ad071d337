import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import WebSocket from 'ws'

/**
 * The floor of all realtime here: one small frame to a bare `ws` server and back. In ms, one per
 * round.
 */
export async function measureWsEcho(rounds: number): Promise<number[]> {
  const server = new WebSocket.Server({ port: 0, host: '127.0.0.1' })
  server.on('connection', (socket) => socket.on('message', (frame) => socket.send(frame)))
  await once(server, 'listening')
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  await once(client, 'open')
  const took: number[] = []
  for (let round = 0; round < rounds; round++) {
    const start = performance.now()
    client.send(`{"event":"typing","data":{"round":${round}}}`)
    await once(client, 'message')
    took.push(performance.now() - start)
  }
  client.terminate()
  server.close()
  return took
}
