import { isSignedOutAnswer } from '../../../../schema/api/api-error.ts'
import { epochHeader, isOutdatedAnswer } from '../../../../schema/api/wire.ts'
import type { Clock } from '../../../database/storage/clock.ts'
import { type BackOff, orAborted } from '../../platform/back-off.ts'
import {
  fetchWithStallTimeout,
  type Line,
  type SyncCall,
  slowestLine,
} from './fetch-with-stall-timeout.ts'
import type { KnownEpoch } from './known-epoch.ts'

/** A `/sync` request's outcome, where it concerns a person. */
export type SyncOutcome = 'reached' | 'unreachable' | 'refusing' | 'outdated' | 'signed-out'

export interface SyncCallsOptions {
  fetch: typeof fetch
  /** The caller's own database, with a trailing slash. */
  url: string
  /** Read for every request: the token may be a new one. */
  readToken: () => string | undefined
  clock: Clock
  backOff: BackOff
  epoch: KnownEpoch
  line?: Line | undefined
  /** Shared by all requests over the same line: when anything last arrived. */
  heard?: { at: number } | undefined
  /** Aborts when this replication ends. */
  signal: AbortSignal
  onOutcome: (outcome: SyncOutcome) => void
}

export type SyncCalls = ReturnType<typeof createSyncCalls>

/** How the server, or an intermediary, refused a request. */
export interface Refusal {
  status: number
  /** For a person; absent where something on the way refused it. */
  words?: string | undefined
  /** The server's own reason for refusing one document by its row. */
  code?: string | undefined
}

/** Why the server keeps refusing a document, where it gives no reason for a person. */
export const unexplainedWords =
  "The server can't take this change. It's kept here and tried again later."

const leastPauseMs = 1_000
/** The longest wait that a server may ask for. */
const longestRetryAfterMs = 60 * 60_000
/** After this many "later" answers in a row, something may never accept this request. */
const laterMost = 4
/** The server is unreachable, or an intermediary says so: unrelated to the request's content. */
const awayStatuses = [408, 502, 503, 504]
/** More of an answer than its beginning and a poll's heartbeats. */
const someCharacters = 100

/**
 * Repeats a request to a `/sync` database until it gets a good answer: decides what to retry, and
 * when. Waits for a slow line as long as anything arrives.
 */
export function createSyncCalls(options: SyncCallsOptions) {
  const { url, readToken, clock, backOff, epoch, signal: ended, onOutcome } = options
  const { line = slowestLine, heard = { at: 0 } } = options

  // The body may take a while; the head's time is exact on arrival.
  const fetch: typeof globalThis.fetch = async (...asked) => {
    const begunAt = performance.now()
    const response = await options.fetch(...asked)
    const serverNow = Number(response.headers.get('x-petrel-now'))
    if (serverNow > 0) clock.setServerTime(serverNow, performance.now() - begunAt)
    return response
  }

  const state = { laterInRow: 0 }

  async function attempt<Call extends SyncCall, T>(
    describe: () => Call,
    read: (body: unknown) => T | undefined,
  ): Promise<Attempted<T> & { call: Call }> {
    const { signal = ended } = describe()
    const begun = await backOff.begin(signal)
    // After the wait, which may have been hours: what leaves is what is owed by then.
    const call = describe()
    return { call, ...(await send(call, read, begun)) }
  }

  async function send<T>(
    call: SyncCall,
    read: (body: unknown) => T | undefined,
    begun: object,
  ): Promise<Attempted<T>> {
    const { signal = ended } = call
    const begunAt = performance.now()
    const progress = { read: 0 }
    const shrink = () => call.size?.batchSize.shrink(call.size.amount)
    const token = readToken()
    const given = await fetchWithStallTimeout(call, {
      fetch,
      url,
      line,
      token,
      epoch: epoch.get(),
      heard,
      signal,
      progress,
    }).catch(() => undefined)
    signal.throwIfAborted()
    if (!given) {
      // Networks often cut a poll after a while; an immediate cut means a broken one.
      const wasLong = performance.now() - begunAt > line.silenceMs / 4
      if (wasLong && (call.heartbeatMs === undefined || progress.read > someCharacters)) shrink()
      backOff.fail(begun, { isAway: true })
      onOutcome('unreachable')
      return {}
    }
    const { response } = given
    if (isSignedOutAnswer({ status: response.status, body: given.body })) {
      // A verdict on an earlier sign-in ends no later one.
      if (readToken() !== token) return {}
      onOutcome('signed-out')
      // Nothing is lost and nothing is retried: the owner ends this replication.
      return await untilAborted(signal)
    }
    if (isOutdatedAnswer({ status: response.status, body: given.body })) {
      // The request is as good as any: the updated app sends it again.
      backOff.fail(begun, { isAway: true })
      onOutcome('outdated')
      return {}
    }
    if (response.status === 429 && call.isPush && response.headers.has('retry-after')) {
      // It works: the server limits this person for now, and accepts the rest later.
      onOutcome('reached')
      state.laterInRow += 1
      // The content is at fault, not the time: the next offer has not waited yet.
      if (state.laterInRow === laterMost) backOff.forget()
      backOff.fail(begun, { atLeastMs: Math.max(readRetryAfter(response), leastPauseMs) })
      return state.laterInRow < laterMost ? {} : { refusal: describeRefused(response) }
    }
    state.laterInRow = 0
    const body = response.ok ? read(given.body) : undefined
    if (body === undefined) {
      // It took too long to send, or exceeded some limit on the way.
      if (response.status === 408 || response.status === 413) shrink()
      const isAway = awayStatuses.includes(response.status)
      backOff.fail(begun, { atLeastMs: readRetryAfter(response), isAway })
      onOutcome('refusing')
      return isAway ? {} : { refusal: describeRefused(response) }
    }
    const told = response.headers.get(epochHeader)
    const isOurs = told === null || (await epoch.take(told).catch(() => undefined))
    if (isOurs === undefined) {
      // The device cannot store the epoch: then it could not store the answer's content either.
      backOff.fail(begun)
      return {}
    }
    // The server's sequence is now another history: this replication is about to end, and learns
    // nothing from it.
    if (!isOurs) return await untilAborted(signal)
    backOff.succeed()
    onOutcome('reached')
    return { answer: body }
  }

  const untilAborted = (signal: AbortSignal) => orAborted(new Promise<never>(() => {}), signal)

  return {
    /**
     * @param describe called before each attempt, and again after its wait
     * @param read interprets an answer; undefined when it does not fit this request
     * @returns the answer, and the call that led to it
     * @throws the reason of the call's signal or of the replication's, and nothing else
     */
    async ask<Call extends SyncCall, T>(
      describe: () => Call,
      read: (body: unknown) => T | undefined,
    ): Promise<{ call: Call; answer: T }> {
      for (;;) {
        const { call, answer } = await attempt(describe, read)
        if (answer !== undefined) return { call, answer }
      }
    },
    /**
     * The same for a request that something may never let through: returns the refusal. The next
     * request waits as after any other failure.
     */
    async offer<Call extends SyncCall, T>(
      describe: () => Call,
      read: (body: unknown) => T | undefined,
    ): Promise<{ call: Call } & ({ answer: T } | { refusal: Refusal })> {
      for (;;) {
        const { call, answer, refusal } = await attempt(describe, read)
        if (answer !== undefined) return { call, answer }
        if (refusal) return { call, refusal }
      }
    },
  }
}

/** Neither: retry. */
interface Attempted<T> {
  answer?: T
  refusal?: Refusal
}

/** Each answer of the server tells its time; nothing on the way does. */
function describeRefused({ status, headers }: Response): Refusal {
  const isOfServer = Number(headers.get('x-petrel-now')) > 0
  return { status, ...(isOfServer && { words: unexplainedWords }) }
}

/** In ms; the header holds seconds, or a date. */
function readRetryAfter(response: Response): number {
  const told = response.headers.get('retry-after')
  if (told === null) return 0
  const ms = /^\d+$/.test(told) ? Number(told) * 1_000 : Date.parse(told) - Date.now()
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), longestRetryAfterMs) : 0
}
