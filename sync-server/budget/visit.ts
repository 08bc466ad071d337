import type { NextFunction, Request, Response } from 'express'
import { RequestRefused } from '../http/core/request-refused.ts'
import { meterAnswer } from './answer-meter.ts'
import type { Lease, Ledger } from './ledger.ts'
import type { Pace } from './pace.ts'
import { refuseOver } from './refuse-over.ts'

/** Pieces below this are not counted: a heartbeat, an error, most answers. */
const smallBytes = 4 * 1024

/** Nobody hears the answer any more. One for all: it comes with the end of every request. */
const callerGone = new Error('The caller is gone.')

/** Who a request turned out to be from, and what that changes. */
export interface Admission {
  /** Whose bytes they are; nobody's before it is known who calls. */
  bytes: { ledger: Ledger; key: string } | undefined
  /** Hands an error to the door that the request has come through, which has words of its own form. */
  fail: NextFunction
  /** @throws RequestRefused when the sign-in has ended meanwhile */
  confirm: () => Promise<void>
}

export type Visit = ReturnType<typeof createVisit>

/**
 * One request from its head to the end of its answer: what it holds is given back when it closes, and it can be ended
 * from outside at any time. From then on nothing more is written to it, whatever its handler does.
 * @param pace of its body, when it has one
 * @param onLarge a piece is on its way that may take a while
 */
export function createVisit(options: {
  request: Request
  response: Response
  pace: Pace | undefined
  fail: NextFunction
  onLarge: () => void
}) {
  const { request, response, pace, onLarge } = options
  const closers = new Set<() => void>()
  const state = {
    isClosed: false,
    phase: 'open' as 'open' | 'refusing' | 'over',
    reason: undefined as unknown,
    stopping: undefined as AbortController | undefined,
    isReading: false,
    lateRefusal: undefined as RequestRefused | undefined,
    admission: { bytes: undefined, fail: options.fail, confirm: async () => {} } as Admission,
    held: undefined as Lease | undefined,
    /** Pieces that were written and have not left, oldest first. */
    leaving: [] as { bytes: number; since: number }[],
  }

  function endWith(reason: unknown) {
    if (state.phase === 'over') return
    state.phase = 'over'
    state.reason = reason
    state.stopping?.abort(reason)
  }

  response.on('error', ignore)
  response.once('close', () => {
    state.isClosed = true
    endWith(callerGone)
    state.held?.release()
    for (const close of closers) close()
  })

  /** Takes room for what is read or answered; the room is given back when the visit closes, if not before. */
  function hold(bytes: number): RequestRefused | undefined {
    const { bytes: whose } = state.admission
    if (!whose || state.phase === 'over') return undefined
    const { ledger, key } = whose
    const end = () => refuse(refuseOver('key'))
    const held = state.held ?? ledger.take({ key, amount: 0, lateMs, end })
    if (typeof held === 'string') return refuseOver(held)
    state.held = held
    const full = held.grow(bytes)
    return full && refuseOver(full)
  }

  meterAnswer(response, {
    mayWrite(bytes) {
      if (state.phase !== 'open') return state.phase === 'refusing'
      if (bytes < smallBytes) return true
      const refusal = hold(bytes)
      if (refusal) refuse(refusal)
      if (state.phase !== 'open') return false
      state.leaving.push({ bytes, since: performance.now() })
      onLarge()
      return true
    },
    recordSent(bytes) {
      if (bytes < smallBytes) return
      state.leaving.shift()
      state.held?.shrink(bytes)
    },
  })

  /**
   * Answers with a refusal in place of whatever the handler is at; an answer that has begun breaks off. What the handler
   * says afterwards is not heard, and its `signal` aborts.
   */
  function refuse(refusal: RequestRefused) {
    if (state.phase !== 'open') return
    if (response.headersSent) {
      endWith(refusal)
      response.destroy()
      return
    }
    state.phase = 'refusing'
    for (const name of ['etag', 'content-encoding', 'content-disposition', 'content-range']) {
      response.removeHeader(name)
    }
    // What is left of the body is not waited for.
    if (!request.complete) response.set('connection', 'close')
    state.admission.fail(refusal)
    endWith(refusal)
  }

  function lateMs(): number {
    if (!isBodyDone()) return pace?.lateMs() ?? 0
    const [oldest] = state.leaving
    return oldest ? performance.now() - oldest.since : 0
  }

  function isBodyDone(): boolean {
    return !pace || request.complete
  }

  return {
    request,
    response,
    pace,
    refuse,
    lateMs,
    hold,
    isBodyDone,

    /** Aborts when the caller is gone or was refused. Whoever takes it can be stopped midway. */
    takeSignal(): AbortSignal {
      state.stopping ??= new AbortController()
      if (state.phase === 'over') state.stopping.abort(state.reason)
      return state.stopping.signal
    },

    /** Nothing that is said about it now reaches anybody. */
    get isOver(): boolean {
      return state.phase === 'over'
    },

    /** Why it is over, as its signal says it. */
    get reason(): unknown {
      return state.reason
    },

    /** Is it ours to do something? Otherwise the caller sends, or reads, or does neither. */
    get isOurTurn(): boolean {
      return isBodyDone() && state.leaving.length === 0 && !response.writableEnded
    },

    /** The piece that waits longest to be taken. */
    get oldestLeaving() {
      return state.leaving[0]
    },

    admit(admission: Admission) {
      state.admission = admission
    },

    confirm: () => state.admission.confirm(),

    /** Its body is read from now on: who is signed out meanwhile is not heard. */
    beginReading() {
      state.isReading = true
    },

    /** What it is answered with when its body comes too slowly. */
    setLateRefusal(refusal: RequestRefused) {
      state.lateRefusal = refusal
    },

    /** Its body comes too slowly. */
    giveUpBody() {
      refuse(state.lateRefusal ?? new RequestRefused('request_timed_out'))
    },

    /**
     * Ends what could go on after its sign-in has ended: a feed, a file, a body that is still coming. Anything else is
     * answered in a moment, the sign-out itself among it.
     */
    endSignIn() {
      const canGoOn = state.stopping !== undefined || state.isReading || response.headersSent
      if (canGoOn) refuse(new RequestRefused('session_ended'))
    },

    endReading() {
      state.isReading = false
    },

    /** Calls back once it is closed, at once when it is already. */
    onClose(close: () => void) {
      if (state.isClosed) close()
      else closers.add(close)
    },
  }
}

function ignore() {
  // A response that breaks off tells of it by closing.
}
