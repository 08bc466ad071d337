import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { changesProtocol, clientEvents, socketProtocol } from '../../schema/api/socket-events.ts'
import { hostileValues, type Known, spoiled, valuesOf } from '../http/fuzz/hostile.contract.ts'
import type { JsonSchema } from '../http/schema-describer.ts'
import { openTestSocket } from '../testing/open-test-socket.ts'
import { startTestApp } from '../testing/start-test-app.ts'

const app = await startTestApp()
const [ann, ben] = [await app.register('Ann'), await app.register('Ben')]
const known: Known = { ids: [ann.userId, ben.userId], components: {} }
afterAll(() => app.close())

const isAlive = async () => (await app.call('GET', '/healthz')).status === 200
const closeCodes = [4400, 4429, 1009, 1007, 1002]

const frames = fc.oneof(
  ...Object.entries(clientEvents).map(([event, schema]) => {
    const data = valuesOf(z.toJSONSchema(schema, { io: 'input' }) as JsonSchema, known)
    return spoiled(fc.record({ event: fc.constant(event), data })).map(
      (frame) => JSON.stringify(frame) ?? '',
    )
  }),
  hostileValues.map((value) => JSON.stringify(value) ?? ''),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.constantFrom('{', '[]', 'null', '\0', `{"event":"typing","data":${'['.repeat(7_000)}`),
)

const sayings = fc.tuple(
  fc.array(frames, { minLength: 1, maxLength: 5 }),
  fc.constantFrom(socketProtocol, changesProtocol),
)

describe('frames that no client sends', () => {
  it('cost at most their own connection', async () => {
    const bystander = await openTestSocket({ url: app.url, token: ben.token })
    await fc.assert(
      fc.asyncProperty(sayings, async ([drawn, protocol]) => {
        const socket = await openTestSocket({ url: app.url, token: ann.token, protocol })
        for (const frame of drawn) socket.socket.send(frame)
        // The server answers a ping after handling what came before it, or closes.
        socket.socket.ping()
        const closed = await Promise.race([once(socket.socket, 'pong'), socket.closed])
        if (typeof closed === 'number') expect(closeCodes).toContain(closed)
        socket.socket.terminate()
      }),
      { seed: 20_261_121, numRuns: 150, endOnFailure: true },
    )
    expect(bystander.socket.readyState).toBe(bystander.socket.OPEN)
    bystander.socket.close()
    expect(await isAlive()).toBe(true)
  })

  it('are not read beyond sixteen kilobytes', async () => {
    const socket = await openTestSocket({ url: app.url, token: ann.token })
    socket.socket.send('x'.repeat(5_000_000))
    expect(await socket.closed).toBe(1009)
  })
})

/** The bytes of one WebSocket frame; `claimed` is the length in its header. */
function writeFrame(frame: { first: number; claimed: number; isMasked: boolean; body: string }) {
  const head = Buffer.alloc(10)
  head.writeUInt8(frame.first, 0)
  head.writeUInt8(frame.isMasked ? 0xff : 0x7f, 1)
  head.writeBigUInt64BE(BigInt(frame.claimed), 2)
  const parts = [head, frame.isMasked ? Buffer.alloc(4) : Buffer.alloc(0), Buffer.from(frame.body)]
  return parts.map((part) => part.toString('latin1')).join('')
}

async function openLine(upgrade = true): Promise<Socket> {
  const line = connect({ host: '127.0.0.1', port: app.port })
  line.on('error', () => undefined)
  await once(line, 'connect')
  if (!upgrade) return line
  const lines = [
    'GET / HTTP/1.1',
    `Host: 127.0.0.1:${app.port}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    `Sec-WebSocket-Protocol: petrel.v1, bearer.${ann.token}`,
  ]
  line.write(`${lines.join('\r\n')}\r\n\r\n`)
  await once(line, 'data')
  return line
}

describe('bytes that are no frames', () => {
  it.each([
    ['an unmasked frame', { first: 0x81, claimed: 3, isMasked: false, body: 'abc' }],
    ['an unknown kind', { first: 0x8b, claimed: 3, isMasked: true, body: 'abc' }],
    ['reserved bits', { first: 0xf1, claimed: 3, isMasked: true, body: 'abc' }],
    ['a length of exabytes', { first: 0x81, claimed: 2 ** 52, isMasked: true, body: 'abc' }],
    ['a giant ping', { first: 0x89, claimed: 100_000, isMasked: true, body: 'abc' }],
    ['a continuation of nothing', { first: 0x80, claimed: 3, isMasked: true, body: 'abc' }],
    ['text that is not UTF-8', { first: 0x81, claimed: 2, isMasked: true, body: '\xff\xfe' }],
  ])('%s ends its own line', async (_what, frame) => {
    const line = await openLine()
    line.resume()
    line.write(writeFrame(frame), 'latin1')
    await once(line, 'close')
    expect(await isAlive()).toBe(true)
  })

  it('before any upgrade are answered with 400, and cut off', async () => {
    for (const bytes of ['\x16\x03\x01\x02\0', 'GET\r\n\r\n', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n']) {
      const line = await openLine(false)
      line.write(bytes, 'latin1')
      const [answer] = await once(line, 'data')
      expect(String(answer)).toMatch(/^HTTP\/1\.1 400/)
      line.destroy()
    }
    expect(await isAlive()).toBe(true)
  })

  it('that stop in the middle hold nothing else up', async () => {
    const lines = await Promise.all(Array.from({ length: 20 }, () => openLine()))
    for (const line of lines) line.write('\x81', 'latin1')
    const half = await openLine(false)
    half.write('POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"user')
    expect(await isAlive()).toBe(true)
    for (const line of [...lines, half]) line.destroy()
    await expect.poll(() => app.stats().sockets).toBe(0)
  })
})
