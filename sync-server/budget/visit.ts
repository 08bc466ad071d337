import type { ServerResponse } from 'node:http'
import type { NextFunction, Request, Response } from 'express'
import { RequestRefused } from '../http/core/request-refused.ts'
import type { Lease, Ledger } from './ledger.ts'
import { type Pace, refuseOver } from './pace.ts'

/** Smaller pieces do not count: a heartbeat, an error, most answers. */
const smallBytes = 4 * 1024

/** The caller is gone. One shared error, since every request ends with it. */
const callerGone = new Error('The caller is gone.')

/** The caller of a request once known, and what that changes. */
export interface Admission {
  /** The ledger and key that its bytes count for; undefined until the caller is known. */
  bytes: { ledger: Ledger; key: string } | undefined
  /**
   * Passes an error to the router that the request came through, which has its own error format.
   */
  fail: NextFunction
  /** @throws RequestRefused when the sign-in has ended meanwhile */
  confirm: () => Promise<void>
}

export type Visit = ReturnType<typeof createVisit>

/**
 * One request from its head to the end of its answer: releases what it holds on close, and can be
 * ended from outside at any time. After that nothing more is written, whatever its handler does.
 * @param pace of its body, when it has one
 * @param onLarge called when a large piece is sent, which may take a while
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
    /** Pieces written but not yet sent, oldest first. */
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

  /** Reserves room for bytes read or answered; the visit releases it on close at the latest. */
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
   * Answers with a refusal instead of the handler's answer; breaks off an answer that has begun.
   * Ignores the handler from then on and aborts its `signal`.
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
    // Does not wait for the rest of the body.
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

    /**
     * Aborts when the caller is gone or refused. Taking it makes the request cancellable midway.
     */
    takeSignal(): AbortSignal {
      state.stopping ??= new AbortController()
      if (state.phase === 'over') state.stopping.abort(state.reason)
      return state.stopping.signal
    },

    /** Nothing written to it now reaches anybody. */
    get isOver(): boolean {
      return state.phase === 'over'
    },

    /** Why it is over, as the signal's reason. */
    get reason(): unknown {
      return state.reason
    },

    /** Is the server the one to act? Otherwise the caller sends, or reads, or does neither. */
    get isOurTurn(): boolean {
      return isBodyDone() && state.leaving.length === 0 && !response.writableEnded
    },

    /** The piece that has waited longest to be sent. */
    get oldestLeaving() {
      return state.leaving[0]
    },

    admit(admission: Admission) {
      state.admission = admission
    },

    confirm: () => state.admission.confirm(),

    /** Reads its body from now on; rejects a caller who is signed out meanwhile. */
    beginReading() {
      state.isReading = true
    },

    /** Sets the answer for a body that comes too slowly. */
    setLateRefusal(refusal: RequestRefused) {
      state.lateRefusal = refusal
    },

    /** Gives up on a slow body. */
    giveUpBody() {
      refuse(state.lateRefusal ?? new RequestRefused('request_timed_out'))
    },

    /**
     * Ends whatever could outlive its sign-in: a feed, a file, a body still coming. Other requests
     * finish in a moment, the sign-out itself among them.
     */
    endSignIn() {
      const canGoOn = state.stopping !== undefined || state.isReading || response.headersSent
      if (canGoOn) refuse(new RequestRefused('session_ended'))
    },

    endReading() {
      state.isReading = false
    },

    /** Calls back once it is closed; at once if it already is. */
    onClose(close: () => void) {
      if (state.isClosed) close()
      else closers.add(close)
    },
  }
}

function ignore() {
  // A broken-off response signals its end by closing.
}

interface Watcher {
  /** Called before writing a piece of `bytes`. @returns false to forbid the write */
  mayWrite(bytes: number): boolean
  /** Called when a piece of `bytes` has left for the network. */
  recordSent(bytes: number): void
}

type Written = (error?: Error | null) => void

/**
 * Reports each piece of an answer when written and when sent. What `end` writes counts as sent when
 * the response closes. Measures text by its characters.
 */
function meterAnswer(response: ServerResponse, { mayWrite, recordSent }: Watcher): void {
  const { write, end } = response

  response.write = (chunk: unknown, ...rest: unknown[]): boolean => {
    const bytes = measure(chunk)
    if (!mayWrite(bytes)) return false
    const [encoding] = rest.filter((one) => typeof one === 'string')
    const written = rest.find((one): one is Written => typeof one === 'function')
    const record: Written = (error) => {
      recordSent(bytes)
      written?.(error)
    }
    return Reflect.apply(write, response, [chunk, encoding, record])
  }

  response.end = (...given: unknown[]) => {
    if (mayWrite(measure(given[0]))) Reflect.apply(end, response, given)
    return response
  }
}

function measure(chunk: unknown): number {
  if (typeof chunk === 'string') return chunk.length
  return chunk instanceof Uint8Array ? chunk.byteLength : 0
}
