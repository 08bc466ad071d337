import type { Server } from 'node:http'
import type { Request, RequestHandler } from 'express'
import { must } from '../../schema/helpers/must.ts'
import type { Sessions } from '../access/sessions.ts'
import type { TokenHolder } from '../access/token-keeper.ts'
import { hasBody } from '../http/core/has-body.ts'
import { networkKey } from '../http/core/network-key.ts'
import { RequestRefused } from '../http/core/request-refused.ts'
import type { Budget } from './budget.ts'
import { createConnectionGuard } from './connection-guard.ts'
import { createPace } from './pace.ts'
import { createReception } from './reception.ts'
import { refuseOver } from './refuse-over.ts'
import { createTransferWatch } from './transfer-watch.ts'
import { createVisit, type Visit } from './visit.ts'

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
