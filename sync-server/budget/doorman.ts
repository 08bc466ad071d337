import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Request, RequestHandler } from 'express'
import { bearerProtocolPrefix } from '../../schema/api/socket-events.ts'
import { must } from '../../schema/helpers/assertions.ts'
import type { Sessions } from '../access/sessions.ts'
import type { TokenHolder } from '../access/token-keeper.ts'
import { hasBody } from '../http/core/json-reader.ts'
import { networkKey } from '../http/core/network-key.ts'
import { RequestRefused } from '../http/core/request-refused.ts'
import { createFewInATurn } from '../lib/few-in-a-turn.ts'
import type { Budget } from './budget.ts'
import type { Lease } from './ledger.ts'
import { createPace, refuseOver } from './pace.ts'
import { createVisit, type Visit } from './visit.ts'

const strangersOf = 'strangers of '

/** Does `ownerOf` name a network, and no person? */
const isOfStrangers = (owner: string): boolean => owner.startsWith(strangersOf)

/**
 * Longer than who asks keeps a connection (Node's fetch 4 s, nginx and most balancers 60 s). The end that closes first
 * must be the one that asks: a request that leaves at the moment when the server closes is lost, and told as a broken
 * network. Strangers' connections are closed after Node's 5 s.
 */
export const keptAliveMs = 65_000

const dayMs = 24 * 60 * 60 * 1000

export type Doorman = ReturnType<typeof createDoorman>

/**
 * Guards every entry (P12): counts what each caller has open, enforces the pace of bodies and
 * answers, and ends open requests when their sign-in ends.
 */
export function createDoorman(options: {
  budget: Budget
  sessions: Pick<Sessions, 'isOpen' | 'onEnded'>
  identify: (token: string) => Promise<TokenHolder | null>
  isBehindProxy: boolean
  onError: (error: unknown) => void
}) {
  const { budget, sessions } = options
  const { limits } = budget
  const connections = createConnectionGuard(options)
  const transfers = createTransferWatch(limits)
  const reception = createReception({
    startsPerTurn: limits.startsPerTurn,
    startsPerCaller: (key) =>
      isOfStrangers(key) ? limits.startsPerNetwork : limits.startsPerCaller,
    keyOf: connections.ownerOf,
  })
  const bySession = new Map<string, Set<Visit>>()
  const stopListening = sessions.onEnded(({ sessionId }) => {
    for (const visit of [...(bySession.get(sessionId) ?? [])]) visit.endSignIn()
  })

  /** Mount before everything that answers. */
  const greet: RequestHandler = (request, response, next) => {
    const pace = hasBody(request)
      ? createPace({
          bytesPerSecond: limits.bytesPerSecondMin,
          patienceMs: Math.min(limits.patienceMs, limits.strangerPatienceMs),
          now: () => performance.now(),
        })
      : undefined
    const onLarge = () => transfers.watchAnswer(visit)
    const visit = createVisit({ request, response, pace, fail: next, onLarge })
    request.visit = visit
    if (pace) transfers.watchBody(visit)
    connections.record(visit)
    next()
  }

  async function confirm(caller: TokenHolder) {
    const isGood = caller.expiresAt > Date.now() && (await sessions.isOpen(caller))
    if (!isGood) throw new RequestRefused('session_ended')
  }

  /** Ends the visit with its sign-in, whether that is ended or expires. */
  function tie(visit: Visit, { sessionId, expiresAt }: TokenHolder) {
    const own = bySession.get(sessionId) ?? new Set()
    bySession.set(sessionId, own.add(visit))
    const leftMs = expiresAt - Date.now()
    // Nothing stays open for longer than a day, and most sign-ins last much longer.
    const timer = leftMs < dayMs ? setTimeout(visit.endSignIn, leftMs).unref() : undefined
    visit.onClose(() => {
      clearTimeout(timer)
      own.delete(visit)
      if (own.size === 0) bySession.delete(sessionId)
    })
  }

  /**
   * Mount after the access check. @throws RequestRefused when the caller has too much open already
   */
  const admit: RequestHandler = (request, response, next) => {
    const visit = visitOf(request)
    // A caller who hung up during the sign-in check waits for nothing.
    if (visit.isOver) return
    const { caller, socket } = request
    const key = caller?.userId ?? networkKey(request.ip ?? '')
    visit.admit({
      fail: next,
      bytes: { ledger: budget.bytes, key },
      confirm: async () => {
        if (caller) await confirm(caller)
      },
    })
    const { lateMs, giveUpBody: end } = visit
    const requests = caller ? budget.requests : budget.strangersRequests
    const lease = requests.take({ key, amount: 1, lateMs, end })
    if (typeof lease === 'string') throw refuseOver(lease)
    visit.onClose(lease.release)
    if (caller) budget.activity.record(caller.userId)
    if (caller) {
      connections.welcome(socket, caller.userId)
      keepAlive(request, response)
      visit.pace?.relax(limits.patienceMs)
      tie(visit, caller)
    } else if (connections.isOnTrial(socket)) {
      response.set('connection', 'close')
      // Still answer cheap requests: they may be health checks.
      if (hasBody(request)) throw refuseOver('all')
    }
    next()
  }

  /**
   * Reads a body: counts its bytes, and rejects a caller who was signed out meanwhile.
   * @param read the reader itself
   */
  const takeBody =
    (read: RequestHandler): RequestHandler =>
    (request, response, next) => {
      const visit = visitOf(request)
      const count = (chunk: Buffer) => {
        const refusal = visit.hold(chunk.length)
        if (refusal) visit.refuse(refusal)
      }
      visit.beginReading()
      // Attach in the same tick as the reader, or it would miss the first bytes.
      if (hasBody(request)) request.on('data', count)
      return read(request, response, (error?: unknown) => {
        request.off('data', count)
        if (visit.isOver) return
        if (error) return next(error)
        visit.confirm().then(() => {
          visit.endReading()
          next()
        }, next)
      })
    }

  return {
    /** Mount before the whole app: queues a burst behind other callers' first requests. */
    receive: reception.receive,
    greet,
    admit,
    takeBody,
    /** Guards the connections of this server. */
    watch: (server: Server) => connections.watch(server),
    close() {
      stopListening()
      transfers.close()
    },
  }
}

/** The visit of a request: every greeted request has one. */
export function visitOf({ visit }: Pick<Request, 'visit'>): Visit {
  return must(visit, 'a visit')
}

/** Node has set its own time by now, unless another request is under way already. */
function keepAlive({ socket }: Request, response: ServerResponse) {
  response.once('finish', () => {
    if (socket.timeout) socket.setTimeout(keptAliveMs)
  })
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Starts a few requests per event-loop turn, one of each caller in turn.
 * @param startsPerTurn further ones wait for the next turn
 * @param startsPerCaller the same for one caller
 * @param keyOf the request's caller, as far as known yet
 */
export function createReception(options: {
  startsPerTurn: number
  startsPerCaller: (key: string) => number
  keyOf: (request: IncomingMessage) => string
}) {
  const { startsPerTurn, startsPerCaller, keyOf } = options
  const turns = createFewInATurn({ startsPerTurn, startsPerKey: startsPerCaller })
  return {
    /** A listener that passes requests on in their turn. */
    receive:
      (begin: Listener): Listener =>
      (request, response) =>
        turns.take({
          key: keyOf(request),
          begin: () => begin(request, response),
          // Nobody sees the answer or the end of a request that was given up.
          isGivenUp: () => response.destroyed,
        }),
    countWaiting: turns.countWaiting,
  }
}

interface Limits {
  bytesPerSecondMin: number
  patienceMs: number
  drainMs: number
  lookEveryMs: number
}

/**
 * Periodically checks bodies and answers in transfer and ends those that are too slow. Watches a
 * body until its last byte, whether or not anybody reads it.
 */
function createTransferWatch(limits: Limits) {
  const bodies = new Map<Visit, { bytesRead: number; answeredAt: number | undefined }>()
  const answers = new Set<Visit>()
  const { bytesPerSecondMin, patienceMs, drainMs } = limits
  // Tests use shorter limits.
  const everyMs = Math.min(limits.lookEveryMs, patienceMs / 4)
  const state = { lookedAt: performance.now() }

  function lookAtBody(visit: Visit, blindMs: number) {
    const { request, response, pace } = visit
    const known = bodies.get(visit)
    const { bytesRead, destroyed } = request.socket
    if (!known || !pace || request.complete || destroyed) return void bodies.delete(visit)
    pace.excuse(blindMs)
    pace.record(bytesRead - known.bytesRead)
    known.bytesRead = bytesRead
    if (response.writableFinished) {
      known.answeredAt ??= performance.now()
      // Nobody reads it, so drop the rest.
      if (performance.now() - known.answeredAt > drainMs || pace.isOver()) request.socket.destroy()
    } else if (request.isPaused()) pace.hold()
    else if (pace.isOver()) visit.giveUpBody()
  }

  function lookAtAnswer({ response, oldestLeaving }: Visit) {
    if (!oldestLeaving) return
    const { bytes, since } = oldestLeaving
    const allowedMs = patienceMs + (bytes / bytesPerSecondMin) * 1_000
    if (performance.now() - since > allowedMs) response.destroy()
  }

  const timer = setInterval(() => {
    const now = performance.now()
    // If this process stalled, bytes that came meanwhile are read only after this.
    const blindMs = Math.max(0, now - state.lookedAt - everyMs)
    state.lookedAt = now
    for (const visit of bodies.keys()) lookAtBody(visit, blindMs)
    for (const visit of answers) lookAtAnswer(visit)
  }, everyMs).unref()

  return {
    watchBody(visit: Visit) {
      const { bytesRead } = visit.request.socket
      bodies.set(visit, { bytesRead, answeredAt: undefined })
    },
    /** Call for each written piece of an answer; watched until the answer closes. */
    watchAnswer(visit: Visit) {
      if (answers.has(visit)) return
      answers.add(visit)
      visit.onClose(() => answers.delete(visit))
    },
    close: () => clearInterval(timer),
  }
}

interface Known {
  socket: Socket
  lease: Lease | undefined
  userId: string | undefined
  /** Its pending requests. */
  visits: Set<Visit>
  /** Since when it has had none. */
  quietSince: number
}

/**
 * Bounds connections: of strangers by network and in all, of people by person. When strangers are
 * too many, silent ones go first; a new one may then only sign in, so that people still get in.
 * @param isBehindProxy all connections are the proxy's, and identify nobody
 * @param identify finds the caller of a token; null for a bad one
 */
function createConnectionGuard(options: {
  budget: Budget
  isBehindProxy: boolean
  identify: (token: string) => Promise<TokenHolder | null>
  onError: (error: unknown) => void
}) {
  const { budget, isBehindProxy, identify, onError } = options
  const { limits } = budget
  const connections = new Map<string, Known>()
  /** Strangers admitted beyond the limit, oldest first. */
  const onTrial = new Set<Known>()

  function lateMs({ visits, quietSince }: Known): number {
    return [...visits].some((visit) => visit.isOurTurn) ? 0 : performance.now() - quietSince
  }

  function enter(socket: Socket) {
    const name = connectionKey(socket)
    const known: Known = {
      socket,
      lease: undefined,
      userId: undefined,
      visits: new Set(),
      quietSince: performance.now(),
    }
    connections.set(name, known)
    socket.once('close', () => {
      leave(known)
      if (connections.get(name) === known) connections.delete(name)
    })
    const lease = (isBehindProxy ? budget.passedOn : budget.strangers).take({
      key: isBehindProxy ? 'all' : networkKey(socket.remoteAddress ?? ''),
      amount: 1,
      lateMs: () => lateMs(known),
      end: () => socket.destroy(),
    })
    if (typeof lease === 'string') tryOut(known)
    else known.lease = lease
  }

  function takeForPerson(known: Known, userId: string): Lease {
    const lease = budget.connections.take({
      key: userId,
      amount: 1,
      lateMs: () => lateMs(known),
      end: () => known.socket.destroy(),
    })
    if (typeof lease === 'string') throw refuseOver(lease)
    return lease
  }

  function tryOut(known: Known) {
    onTrial.add(known)
    if (onTrial.size <= limits.strangersOnTrial) return
    const [oldest] = onTrial
    oldest?.socket.destroy()
    if (oldest) onTrial.delete(oldest)
  }

  function leave(known: Known) {
    known.lease?.release()
    known.lease = undefined
    onTrial.delete(known)
  }

  /** Signed-in sockets are counted elsewhere; any other stays a stranger until it closes. */
  async function upgrade(request: IncomingMessage) {
    const known = connections.get(connectionKey(request.socket))
    const token = readOfferedToken(request.headers['sec-websocket-protocol'])
    const caller = known && token && (await identify(token))
    if (!caller) return
    leave(known)
    connections.delete(connectionKey(request.socket))
  }

  /** This connection has been idle for a while. */
  function onSilence(socket: Socket) {
    const known = connections.get(connectionKey(socket))
    if (!known) return
    // The pace check ends slow bodies with an answer; a feed that waits for news is fine.
    const isWaiting = [...known.visits].some(({ response }) => !response.writableFinished)
    if (!isWaiting || socket.writableLength > 0) socket.destroy()
  }

  return {
    /** Guards every connection of this server from now on. */
    watch(server: Server) {
      server.on('connection', enter)
      server.on('upgrade', (request) => void upgrade(request).catch(onError))
      server.setTimeout(limits.patienceMs, onSilence)
    },

    /** Call for each request of a connection. */
    record(visit: Visit) {
      const known = connections.get(connectionKey(visit.request.socket))
      known?.visits.add(visit)
      visit.onClose(() => {
        known?.visits.delete(visit)
        if (known) known.quietSince = performance.now()
      })
    },

    /**
     * The connection has presented a valid sign-in: it now counts as that person's.
     * @throws RequestRefused when they have too many
     */
    welcome(socket: Socket, userId: string) {
      const known = connections.get(connectionKey(socket))
      if (!known || known.userId === userId) return
      const lease = isBehindProxy ? undefined : takeForPerson(known, userId)
      leave(known)
      known.userId = userId
      known.lease = lease
    },

    /** The owner of its requests, as far as known before they are read. */
    ownerOf({ socket, headers }: IncomingMessage): string {
      const userId = isBehindProxy ? undefined : connections.get(connectionKey(socket))?.userId
      return (
        userId ?? headers.authorization ?? `${strangersOf}${networkKey(socket.remoteAddress ?? '')}`
      )
    },

    /** Is it a stranger beyond the limit? */
    isOnTrial(socket: Socket): boolean {
      const known = connections.get(connectionKey(socket))
      return known !== undefined && onTrial.has(known)
    },
  }
}

/** The same for a connection and for the TLS socket on it. */
function connectionKey({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}

function readOfferedToken(protocols: string | undefined): string | undefined {
  const offered = protocols?.split(',').map((protocol) => protocol.trim())
  const bearer = offered?.find((protocol) => protocol.startsWith(bearerProtocolPrefix))
  return bearer?.slice(bearerProtocolPrefix.length)
}
