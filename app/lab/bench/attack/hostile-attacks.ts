import { setMaxListeners } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { v7 as createId } from 'uuid'
import WebSocket from 'ws'
import { bearerProtocolPrefix, socketProtocol } from '../../../../schema/api/socket-events.ts'
import { must } from '../../../../schema/helpers/assertions.ts'
import type { Account } from '../../server/server-accounts.ts'

export interface AttackOn {
  port: number
  /** The first has a long history with the second. */
  attackers: readonly Account[]
  /** Aborts when it is over. */
  signal: AbortSignal
}

type Attack = (on: AttackOn) => Promise<void>

/** Every attack by a person (or a stranger) on shared resources, by name. */
export const attacks = {
  '1,000 half-sent sign-ins': (on) =>
    holdAll(on, 1_000, () => 'POST /api/auth/login', { 'content-length': '400' }, '{"user'),

  '1,000 branches of one message in each push': (on) =>
    repeat(on, 2, () => pushBranches(on, 1_000)),

  '300 searches of one person who hangs up': (on) =>
    repeat(on, 1, () => askAndHangUp(on, 300, '/api/messages/search?query=nowhere')),

  '32 exports of one person who hangs up': (on) =>
    repeat(on, 1, () => askAndHangUp(on, 32, '/api/users/me/export')),

  '40 pages of a long history that nobody reads': (on) =>
    holdAll(on, 40, (index) =>
      index % 2 === 0
        ? 'GET /sync/messages/_changes?include_docs=true&limit=1000'
        : 'GET /sync/messages/_all_docs?include_docs=true',
    ),

  'one message 1,000 times in each _bulk_get': (on) => repeat(on, 4, () => getManyTimes(on, 1_000)),

  '16 wrong sign-ins at a time': (on) =>
    repeat(on, 16, () =>
      ask(on, {
        method: 'POST',
        path: '/api/auth/login',
        body: { username: 'attacker0', password: createId() },
      }),
    ),

  '64 uploads of sixteen people at a byte a second': (on) => uploadSlowly(on, 64),

  '20 sockets of one person, 50 presence frames a second each': (on) => floodPresence(on, 20, 50),

  'pushes of 1,000 new messages, one after the other': (on) =>
    repeat(on, 1, () => pushNew(on, 1_000)),

  '16 checkpoints at a time, each under another name': (on) =>
    repeat(on, 16, () =>
      ask(on, { method: 'PUT', path: `/sync/messages/_local/${createId()}`, body: { at: 1 } }),
    ),

  '64 descriptions of the server at a time, by a stranger': (on) =>
    repeat(on, 64, () => ask(on, { method: 'GET', path: '/api/openapi.json', isStranger: true })),

  'four loops of forwarding to everybody': (on) => forwardToAll(on, 4),
} as const satisfies Record<string, Attack>

export type AttackName = keyof typeof attacks

const agent = new Agent({ keepAlive: true, maxSockets: 400 })

interface Asked {
  method: string
  path: string
  body?: unknown
  signal?: AbortSignal
  /** Without a sign-in. */
  isStranger?: boolean
}

const first = ({ attackers }: AttackOn) => must(attackers[0], 'an attacker')

/** Any answer will do: a refusal is one. */
async function ask(on: AttackOn, asked: Asked): Promise<void> {
  const { method, path, body, signal = on.signal, isStranger } = asked
  const text = body === undefined ? '' : JSON.stringify(body)
  await new Promise<void>((resolve) => {
    const sent = request({ agent, host: '127.0.0.1', port: on.port, method, path, signal })
    if (!isStranger) sent.setHeader('authorization', `Bearer ${first(on).token}`)
    if (text) sent.setHeader('content-type', 'application/json')
    sent.on('error', () => resolve())
    sent.on('response', (response) => {
      response.on('error', () => resolve()).on('close', () => resolve())
      response.resume()
    })
    sent.end(text)
  })
}

/** Repeats the attack in the given number of parallel loops. */
async function repeat({ signal }: AttackOn, sideBySide: number, work: () => Promise<void>) {
  const run = async () => {
    while (!signal.aborted) {
      await work()
      // A refused loop continues immediately, but lets this process breathe.
      await pause(1)
    }
  }
  await Promise.all(Array.from({ length: sideBySide }, run))
}

async function askAndHangUp(on: AttackOn, count: number, path: string) {
  const patience = AbortSignal.any([on.signal, AbortSignal.timeout(300)])
  setMaxListeners(0, patience)
  const asked = { method: 'GET', path, signal: patience }
  await Promise.all(Array.from({ length: count }, () => ask(on, asked)))
  await pause(1_000)
}

/** Opens connections, sends the beginning, and reads nothing. */
async function holdAll(
  on: AttackOn,
  count: number,
  line: (index: number) => string,
  headers: Record<string, string> = {},
  beginning = '',
) {
  const sockets = Array.from({ length: count }, (_, index) => {
    const socket = connect({ port: on.port, host: '127.0.0.1' })
    socket.on('error', () => undefined).pause()
    const isStranger = beginning !== ''
    const said = Object.entries({
      host: 'petrel',
      ...headers,
      ...(isStranger
        ? { 'content-type': 'application/json' }
        : { authorization: `Bearer ${first(on).token}` }),
    }).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(`${line(index)} HTTP/1.1\r\n${said.join('')}\r\n${beginning}`)
    return socket
  })
  await untilOver(on.signal)
  for (const socket of sockets) socket.destroy()
}

function writeMessage(on: AttackOn) {
  const now = Date.now()
  const [author, reader] = on.attackers
  return {
    _id: createId(),
    senderId: author?.userId,
    recipientId: reader?.userId,
    peerId: reader?.userId,
    content: 'one of very many',
    createdAt: now,
    orderedAt: now,
    status: 'sending',
    attempt: 1,
  }
}

async function pushNew(on: AttackOn, count: number) {
  const docs = Array.from({ length: count }, () => writeMessage(on))
  await ask(on, { method: 'POST', path: '/sync/messages/_bulk_docs', body: { docs } })
}

/** One call each, of as many messages as there are people, up to the product's fifty. */
async function forwardToAll(on: AttackOn, sideBySide: number) {
  const message = writeMessage(on)
  const one = { docs: [message] }
  await ask(on, { method: 'POST', path: '/sync/messages/_bulk_docs', body: one })
  const recipientIds = on.attackers.slice(1, 51).map(({ userId }) => userId)
  const path = `/api/messages/${message._id}/forward`
  await repeat(on, sideBySide, () => ask(on, { method: 'POST', path, body: { recipientIds } }))
}

async function pushBranches(on: AttackOn, count: number) {
  const message = writeMessage(on)
  const docs = Array.from({ length: count }, (_, index) => {
    const hash = createId().replaceAll('-', '')
    const content = `branch ${index}`
    return { ...message, content, _rev: `1-${hash}`, _revisions: { start: 1, ids: [hash] } }
  })
  const body = { docs, new_edits: false }
  await ask(on, { method: 'POST', path: '/sync/messages/_bulk_docs', body })
}

async function getManyTimes(on: AttackOn, count: number) {
  const message = writeMessage(on)
  const docs = Array.from({ length: count }, () => ({ id: message._id }))
  const one = { docs: [message] }
  await ask(on, { method: 'POST', path: '/sync/messages/_bulk_docs', body: one })
  const path = '/sync/messages/_bulk_get?revs=true&latest=true'
  for (let round = 0; round < 20; round += 1) {
    await ask(on, { method: 'POST', path, body: { docs } })
  }
}

async function uploadSlowly({ port, attackers, signal }: AttackOn, count: number) {
  const people = attackers.slice(0, 16)
  const uploads = Array.from({ length: count }, (_, index) => {
    const { token } = must(people[index % people.length], 'an attacker')
    const socket = connect({ port, host: '127.0.0.1' })
    socket.on('error', () => undefined).resume()
    const head = [
      'POST /api/messages/upload HTTP/1.1',
      'host: petrel',
      `authorization: Bearer ${token}`,
      'content-type: multipart/form-data; boundary=petrel',
      'content-length: 1000000',
    ]
    const part = 'content-disposition: form-data; name="file"; filename="a.bin"'
    socket.write(`${head.join('\r\n')}\r\n\r\n--petrel\r\n${part}\r\n\r\n`)
    return socket
  })
  const timer = setInterval(() => {
    for (const socket of uploads) if (socket.writable) socket.write('x')
  }, 1_000)
  await untilOver(signal)
  clearInterval(timer)
  for (const socket of uploads) socket.destroy()
}

async function floodPresence(on: AttackOn, count: number, perSecond: number) {
  const protocols = [socketProtocol, `${bearerProtocolPrefix}${first(on).token}`]
  const open = () => {
    const socket = new WebSocket(`ws://127.0.0.1:${on.port}`, protocols)
    return socket.on('error', () => undefined)
  }
  const sockets = Array.from({ length: count }, open)
  const talking = setInterval(() => {
    for (const socket of sockets) {
      if (socket.readyState === WebSocket.OPEN) socket.send('{"event":"user-online"}')
    }
  }, 1_000 / perSecond)
  const coming = setInterval(() => {
    for (const [index, socket] of sockets.entries()) {
      if (socket.readyState === WebSocket.CLOSED) sockets[index] = open()
    }
  }, 1_000)
  await untilOver(on.signal)
  clearInterval(talking)
  clearInterval(coming)
  for (const socket of sockets) socket.terminate()
}

async function untilOver(signal: AbortSignal) {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
