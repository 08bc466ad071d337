import { channel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import { Duplex } from 'node:stream'
import { must } from '../../schema/helpers/assertions.ts'
import type { TestApp } from './start-test-app.ts'

export type TestRequest = Awaited<ReturnType<typeof openTestRequest>>

/** For tests: a raw request; the test sends its body, and decides whether to read its answer. */
export async function openTestRequest(request: {
  port: number
  method?: string
  path: string
  token?: string
  headers?: Record<string, string>
  /** The answer waits in the server until `read` is called. */
  isUnread?: boolean
}) {
  const { port, method = 'GET', path, token, headers, isUnread = false } = request
  const socket = isUnread ? await openHeldConnection(port) : connect({ port, host: '127.0.0.1' })
  const heard: Buffer[] = []
  socket.on('error', () => undefined)
  const closed = once(socket, 'close')
  if (isUnread) socket.pause()
  socket.on('data', (part: Buffer) => heard.push(part))
  if (isUnread) socket.pause()
  else await once(socket, 'connect')
  const lines = Object.entries({
    host: 'petrel',
    ...(token && { authorization: `Bearer ${token}` }),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  const text = () => Buffer.concat(heard.map((part) => new Uint8Array(part))).toString()

  return {
    send: (part: string | Buffer) => void socket.write(part as string),
    text,
    /** 0 while there is no answer. */
    status: () => Number(text().slice(9, 12)),
    /** Has an answer begun that is not read yet? */
    isAnswered: () => socket.readableLength > 0,
    read: () => void socket.resume(),
    isClosed: () => socket.closed,
    hangUp: () => void ('resetAndDestroy' in socket ? socket.resetAndDestroy() : socket.destroy()),
    /** Resolves with everything received when the connection closes. */
    closed: closed.then(() => ({ status: Number(text().slice(9, 12)), text: text() })),
  }
}

/**
 * A connection to the server on this port, without the system in between: what the other end does
 * not read, no buffer takes. How much a system takes differs from machine to machine.
 */
async function openHeldConnection(port: number): Promise<Duplex> {
  const server = await findServer(port)
  const silence: { timer?: NodeJS.Timeout } = {}
  const ends = joinStreams(() => void silence.timer?.refresh())
  Object.assign(ends.servers, {
    remoteAddress: '127.0.0.1',
    remotePort: nextPort(),
    // As a socket does it: once nothing moved for that long.
    setTimeout(ms: number) {
      silence.timer = setTimeout(() => void ends.servers.emit('timeout'), ms).unref()
    },
  })
  ends.servers.on('close', () => clearTimeout(silence.timer))
  server.emit('connection', ends.servers)
  return ends.clients
}

/** Beyond every real one. */
const ports = { last: 65_536 }
const nextPort = () => (ports.last += 1)

/** Node's own channel tells of each request which server takes it. */
async function findServer(port: number): Promise<Server> {
  const found: { server?: Server } = {}
  const requests = channel('http.server.request.start')
  const look = (message: unknown) => {
    const { server } = message as { server: Server }
    const address = server.address()
    if (typeof address === 'object' && address?.port === port) found.server = server
  }
  requests.subscribe(look)
  await fetch(`http://127.0.0.1:${port}/healthz`)
  requests.unsubscribe(look)
  return must(found.server, 'a server on this port')
}

/** Two ends that hold a few bytes: a further write at one is done once the other has read. */
function joinStreams(onMoved: () => void): { servers: Duplex; clients: Duplex } {
  /** Of each end, the write that waits for the other to read. */
  const held = new Map<Duplex, () => void>()
  function release(end: Duplex) {
    const done = held.get(end)
    held.delete(end)
    if (done) onMoved()
    done?.()
  }
  const open = (other: () => Duplex, end: (other: Duplex) => void) => {
    const own: Duplex = new Duplex({
      allowHalfOpen: false,
      write(part, _encoding, done) {
        onMoved()
        if (other().destroyed || other().push(part)) done()
        else held.set(own, done)
      },
      read: () => release(other()),
      final(done) {
        if (!other().destroyed) other().push(null)
        done()
      },
      destroy(_error, done) {
        release(own)
        release(other())
        if (!other().destroyed) end(other())
        done(null)
      },
    })
    return own
  }
  // What arrived before the server ended it can still be read.
  const servers: Duplex = open(
    () => clients,
    (other) => void (other.readableEnded || other.push(null)),
  )
  const clients: Duplex = open(
    () => servers,
    (other) => void other.destroy(),
  )
  return { servers, clients }
}

/** For tests: a request that has sent only the first bytes of its JSON body. */
export async function holdTestBody(
  request: Omit<Parameters<typeof openTestRequest>[0], 'isUnread'> & {
    body: unknown
    sent?: number
  },
) {
  const { body, sent = 5, headers, ...rest } = request
  const text = JSON.stringify(body)
  const held = await openTestRequest({
    method: 'POST',
    ...rest,
    headers: {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(text)),
      ...headers,
    },
  })
  held.send(text.slice(0, sent))
  return { ...held, sendRest: () => held.send(text.slice(sent)) }
}

/** For tests: one value from the metrics. */
export async function readTestLevel(app: TestApp, name: string): Promise<number> {
  const { text } = await app.call('GET', '/metrics')
  const line = text.split('\n').find((one) => one.startsWith(`${name} `))
  return Number(line?.slice(name.length))
}
