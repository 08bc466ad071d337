import { createECDH, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pLimit from 'p-limit'
import { v7 as createId } from 'uuid'
import WebSocket from 'ws'
import {
  bearerProtocolPrefix,
  socketProtocol,
  understandsProtocolPrefix,
} from '../../../schema/api/socket-events.ts'
import { must } from '../../../schema/helpers/assertions.ts'
import { readMetric } from '../server/read-metric.ts'
import { type Account, registerAccount } from '../server/server-accounts.ts'
import type { Figure } from './figures/figure.ts'
import { takePercentile } from './figures/take-percentile.ts'
import { startProgram } from './load/start-program.ts'

/** Each author writes to each recipient, who has this many devices: 10,000 pushes, none joined. */
const [authorCount, recipientCount, deviceCount] = [20, 50, 10]
const pushCount = authorCount * recipientCount * deviceCount
const callsAtOnce = 8
const [warmUps, quietRounds] = [50, 300]
const pauseMs = 10
/** Times the delivery without pushes. */
const worseTimes = 2

/**
 * How long a message takes from one person's socket to another's while 10,000 pushes to others are
 * queued and sent to a push service on this machine, and without them before and after.
 */
export async function measure(): Promise<Figure[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'petrel-bench-'))
  const service = await startProgram('push-service-program')
  const server = await startProgram('push-app-program', dataDir)
  const { origin } = server
  try {
    const people = await Promise.all(
      Array.from({ length: authorCount + recipientCount + 2 }, (_, at) =>
        turn(() => registerAccount(origin, `person${at}`)),
      ),
    )
    const [ann, ben, ...others] = people
    const talk = await openTalk(origin, must(ann, 'Ann'), must(ben, 'Ben'))
    await talk.measureWhile(rounds(warmUps))
    const before = await talk.measureWhile(rounds(quietRounds))
    const recipients = others.slice(authorCount)
    await subscribeAll(origin, recipients, service.origin)
    const looking = await Promise.all(recipients.map((each) => look(origin, each)))
    for (const author of others.slice(0, authorCount)) await writeToAll(origin, author, recipients)
    const sentBefore = await readMetric(origin, 'petrel_pushes_sent_total')
    // Nobody looks any more: all of their messages are pushed at once.
    const start = performance.now()
    for (const socket of looking) socket.terminate()
    const progress = { sent: 0 }
    const watching = watchSent(origin, sentBefore, progress)
    const during = await talk.measureWhile(() => progress.sent < pushCount)
    const tookMs = performance.now() - start
    await watching
    const after = await talk.measureWhile(rounds(quietRounds))
    talk.close()
    return describe(during, [...before, ...after], tookMs)
  } finally {
    await server.close()
    await service.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

const turn = pLimit(callsAtOnce)

function rounds(count: number): () => boolean {
  const state = { left: count }
  return () => state.left-- > 0
}

function describe(during: number[], quiet: number[], tookMs: number): Figure[] {
  const what = `${pushCount.toLocaleString('en')} pushes`
  return [
    ...[0.5, 0.95].map((share): Figure => {
      const floor = takePercentile(quiet, share)
      return {
        what: `${what}: a message between two sockets, p${share * 100}`,
        value: takePercentile(during, share),
        unit: 'ms',
        floors: [{ what: 'without pushes', value: floor }],
        target: { atMost: worseTimes * floor },
      }
    }),
    { what: `${what}: until all are with their service`, value: tookMs, unit: 'ms' },
  ]
}

/** The sign-ins of each recipient, each with a subscription to our own push service. */
async function subscribeAll(origin: string, recipients: readonly Account[], service: string) {
  const keys = createECDH('prime256v1')
  keys.generateKeys()
  const p256dh = keys.getPublicKey('base64url')
  const each = recipients.flatMap((_, at) =>
    Array.from({ length: deviceCount }, () => `person${at + authorCount + 2}`),
  )
  const subscribe = async (username: string) => {
    const { token } = await ask(`${origin}/api/auth/login`, {
      body: { username, password: `${username}-secret` },
    })
    const endpoint = `${service}/${createId()}`
    const body = { endpoint, keys: { p256dh, auth: randomBytes(16).toString('base64url') } }
    await ask(`${origin}/api/users/me/push`, { method: 'PUT', token, body })
  }
  await Promise.all(each.map((username) => turn(() => subscribe(username))))
}

/** One message to each, in one request. */
async function writeToAll(origin: string, author: Account, recipients: readonly Account[]) {
  const now = Date.now()
  const docs = recipients.map(({ userId: recipientId }) => ({
    _id: createId(),
    peerId: recipientId,
    senderId: author.userId,
    recipientId,
    content: 'with about as many words as people write',
    createdAt: now,
    orderedAt: now,
    status: 'sending',
    attempt: 1,
  }))
  const url = `${origin}/sync/messages/_bulk_docs`
  const stored: { ok?: boolean }[] = await ask(url, { token: author.token, body: { docs } })
  if (!stored.every(({ ok }) => ok)) throw new Error(JSON.stringify(stored[0]))
}

async function watchSent(origin: string, before: number, progress: { sent: number }) {
  while (progress.sent < pushCount) {
    await pause(500)
    const dropped = await readMetric(origin, 'petrel_pushes_dropped_total')
    if (dropped > 0) throw new Error(`${dropped} pushes were dropped`)
    progress.sent = (await readMetric(origin, 'petrel_pushes_sent_total')) - before
  }
}

/** A device whose person looks at it: what they are sent meanwhile is not pushed. */
async function look(origin: string, { userId, token }: Account): Promise<WebSocket> {
  const socket = await openSocket(origin, token, [`${understandsProtocolPrefix}front`])
  socket.send('{"event":"front","data":true}')
  const answered = hear(socket, 'users-online')
  socket.send(JSON.stringify({ event: 'user-online', data: userId }))
  await answered
  return socket
}

/** Two people with a socket each: one writes to the other. */
async function openTalk(origin: string, from: Account, to: Account) {
  const [mine, theirs] = [await openSocket(origin, from.token), await openSocket(origin, to.token)]
  const state = { round: 0 }

  async function say(): Promise<number> {
    state.round += 1
    const message = `round ${state.round} of many`
    const heard = hear(theirs, message)
    const start = performance.now()
    mine.send(JSON.stringify({ event: 'send-message', data: { recipientId: to.userId, message } }))
    await heard
    return performance.now() - start
  }

  return {
    async measureWhile(isOn: () => boolean): Promise<number[]> {
      const took: number[] = []
      while (isOn()) {
        took.push(await say())
        await pause(pauseMs)
      }
      return took
    },
    close() {
      for (const socket of [mine, theirs]) socket.terminate()
    },
  }
}

async function openSocket(origin: string, token: string, more: readonly string[] = []) {
  const protocols = [socketProtocol, `${bearerProtocolPrefix}${token}`, ...more]
  const socket = new WebSocket(origin.replace('http', 'ws'), protocols)
  await once(socket, 'open')
  return socket
}

function hear(socket: WebSocket, text: string): Promise<void> {
  return new Promise((resolve) => {
    const listener = (frame: unknown) => {
      if (!String(frame).includes(text)) return
      socket.off('message', listener)
      resolve()
    }
    socket.on('message', listener)
  })
}

async function ask(
  url: string,
  { method = 'POST', token, body }: { method?: string; token?: string; body: unknown },
) {
  const headers = {
    'content-type': 'application/json',
    ...(token && { authorization: `Bearer ${token}` }),
  }
  const response = await fetch(url, { method, headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return response.json()
}
