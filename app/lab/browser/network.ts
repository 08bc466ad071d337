import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Transform } from 'node:stream'
import { createSlowLine } from '../kit/slow-line.ts'

export interface Network {
  /** The address that the browser calls instead of the server. */
  origin: string
  /** Breaks every connection and refuses new ones. */
  cut(): void
  mend(): void
  /** Blocks WebSockets only, as some proxies do. */
  blockSockets(): void
  allowSockets(): void
  /** Bytes trickle both ways; all connections share the line. */
  slow(bytesPerSecond: number): void
  /** How many bytes have come from the server. */
  countBytes(): number
  close(): Promise<void>
}

/**
 * One person's path to the server: a relay that tests can cut, so that the network is really lost.
 */
export async function createNetwork(serverPort: number): Promise<Network> {
  const open = new Set<Socket>()
  /** Those that carry a WebSocket. */
  const upgraded = new Set<Socket>()
  const state = { isCut: false, areSocketsBlocked: false, bytes: 0 }
  let line: ReturnType<typeof createSlowLine> | undefined

  const passLine = (way: 'up' | 'down') =>
    new Transform({
      async transform(chunk: Uint8Array<ArrayBuffer>, _encoding, done) {
        if (!line) this.push(chunk)
        else for await (const part of line.trickle(way, chunk)) this.push(part)
        if (way === 'down') state.bytes += chunk.length
        done()
      },
    })

  const relay = createServer((near) => {
    if (state.isCut) return void near.destroy()
    const far = connect(serverPort, '127.0.0.1')
    near.on('data', (bytes: Buffer) => {
      if (!asksForSocket(bytes)) return
      upgraded.add(near)
      if (state.areSocketsBlocked) near.destroy()
    })
    for (const [socket, other, way] of [
      [near, far, 'up'],
      [far, near, 'down'],
    ] as const) {
      open.add(socket)
      socket.pipe(passLine(way)).pipe(other)
      socket.once('close', () => {
        open.delete(socket)
        upgraded.delete(socket)
        other.destroy()
      })
      // 'close' follows and ends the other half.
      socket.on('error', () => {})
    }
  }).listen(0, '127.0.0.1')
  await once(relay, 'listening')

  function breakAll(sockets: Iterable<Socket> = open) {
    for (const socket of sockets) socket.destroy()
  }

  return {
    origin: `http://127.0.0.1:${(relay.address() as AddressInfo).port}`,
    cut() {
      state.isCut = true
      breakAll()
    },
    mend() {
      state.isCut = false
    },
    blockSockets() {
      state.areSocketsBlocked = true
      breakAll(upgraded)
    },
    allowSockets() {
      state.areSocketsBlocked = false
    },
    slow(bytesPerSecond) {
      line = createSlowLine({ bytesPerSecond })
    },
    countBytes: () => state.bytes,
    async close() {
      breakAll()
      relay.close()
      await once(relay, 'close')
    },
  }
}

function asksForSocket(bytes: Buffer): boolean {
  return /^upgrade: websocket/im.test(bytes.toString('latin1'))
}
