import { once } from 'node:events'
import { connect } from 'node:net'
import type { TestApp } from './start-test-app.ts'

export type TestRequest = Awaited<ReturnType<typeof openTestRequest>>

/** For tests: a raw request; the test sends its body, and decides whether to read its answer. */
export async function openTestRequest(request: {
  port: number
  method?: string
  path: string
  token?: string
  headers?: Record<string, string>
  /** The answer waits in the connection until `read` is called. */
  isUnread?: boolean
}) {
  const { port, method = 'GET', path, token, headers, isUnread = false } = request
  const socket = connect({ port, host: '127.0.0.1' })
  const heard: Buffer[] = []
  socket.on('error', () => undefined)
  const closed = once(socket, 'close')
  if (isUnread) socket.pause()
  socket.on('data', (part: Buffer) => heard.push(part))
  if (isUnread) socket.pause()
  await once(socket, 'connect')
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
    read: () => void socket.resume(),
    isClosed: () => socket.closed,
    hangUp: () => void socket.resetAndDestroy(),
    /** Resolves with everything received when the connection closes. */
    closed: closed.then(() => ({ status: Number(text().slice(9, 12)), text: text() })),
  }
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
