import type { Server } from 'node:http'
import type { Request, RequestHandler } from 'express'
import { must } from '../../schema/helpers/must.ts'
import type { Sessions } from '../access/sessions.ts'
import type { TokenHolder } from '../access/token-keeper.ts'
import { hasBody } from '../http/core/has-body.ts'
import { nameNetwork } from '../http/core/name-network.ts'
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
 * Stands at every door (P12): counts what each caller has open, sees that bodies come and answers are taken, and ends
 * what goes on when the sign-in behind it ends.
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

  /** To come before everything that answers. */
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
    connections.note(visit)
    next()
  }

  async function confirm(caller: TokenHolder) {
    const isGood = caller.expiresAt > Date.now() && (await sessions.isOpen(caller))
    if (!isGood) throw new RequestRefused('session_ended')
  }

  /** What is open ends with its sign-in, whether that is ended or runs out. */
  function tie(visit: Visit, { sessionId, expiresAt }: TokenHolder) {
    const own = bySession.get(sessionId) ?? new Set()
    bySession.set(sessionId, own.add(visit))
    const leftMs = expiresAt - Date.now()
    // Nothing is open for longer than a day, and most sign-ins last much longer than that.
    const timer = leftMs < dayMs ? setTimeout(visit.endSignIn, leftMs).unref() : undefined
    visit.onClose(() => {
      clearTimeout(timer)
      own.delete(visit)
      if (own.size === 0) bySession.delete(sessionId)
    })
  }

  /** To come after the check of who calls. @throws RequestRefused for who has too much open already */
  const admit: RequestHandler = (request, response, next) => {
    const visit = visitOf(request)
    // Whoever hung up while their sign-in was looked for waits for nothing.
    if (visit.isOver) return
    const { caller, socket } = request
    const key = caller?.userId ?? nameNetwork(request.ip ?? '')
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
    if (caller) budget.activity.note(caller.userId)
    if (caller) {
      connections.welcome(socket, caller.userId)
      visit.pace?.relax(limits.patienceMs)
      tie(visit, caller)
    } else if (connections.isOnTrial(socket)) {
      response.set('connection', 'close')
      // What costs nothing is answered all the same: somebody may look whether the server lives.
      if (hasBody(request)) throw refuseOver('all')
    }
    next()
  }

  /**
   * Reads a body: it counts as it comes, and whoever was signed out meanwhile is not heard.
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
      // In the same moment as the reader, or it would miss the first bytes.
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
    /** To stand before the whole app: who comes with hundreds of requests at once waits behind others' first ones. */
    receive: reception.receive,
    greet,
    admit,
    takeBody,
    /** Looks after the connections of this server. */
    watch: (server: Server) => connections.watch(server),
    close() {
      stopListening()
      transfers.close()
    },
  }
}

/** The visit that a request is: there for every request that was greeted. */
export function visitOf({ visit }: Pick<Request, 'visit'>): Visit {
  return must(visit, 'a visit')
}
