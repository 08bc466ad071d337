import { epochHeader } from '../../../../schema/api/epoch-header.ts'
import type { Clock } from '../../../database/storage/clock.ts'
import { type BackOff, orAborted } from '../../platform/back-off.ts'
import type { AdaptiveBatchSize } from './adaptive-batch-size.ts'
import { fetchWithStallTimeout, type Line, slowestLine } from './fetch-with-stall-timeout.ts'
import type { KnownEpoch } from './known-epoch.ts'

/** How a request to `/sync` ended, as far as a person may care. */
export type SyncOutcome = 'reached' | 'unreachable' | 'refusing' | 'signed-out'

/** One request to a database of `/sync`. */
export interface SyncCall {
  /** Beneath the database's address, with its query. */
  path: string
  /** JSON; it is sent by POST then. */
  body?: string
  /** Its answer waits at the server, which says meanwhile at least so often that it is there. */
  heartbeatMs?: number
  /** It offers documents: a server that has had enough for now takes them later. */
  isPush?: boolean
  /** Aborts when its answer is not wanted any more, and with the replication. */
  signal?: AbortSignal
  /** How much it is of what could be asked for: where it breaks off, less is asked for next. */
  size?: { batchSize: AdaptiveBatchSize; amount: number }
}

export interface SyncCallsOptions {
  fetch: typeof fetch
  /** The caller's own database, with a slash at its end. */
  url: string
  /** Read for every request: the token may be a new one. */
  readToken: () => string | undefined
  clock: Clock
  backOff: BackOff
  epoch: KnownEpoch
  line?: Line | undefined
  /** Shared by all that go the same way: when something came last. */
  heard?: { at: number } | undefined
  /** Aborts when this replication ends. */
  signal: AbortSignal
  onOutcome: (outcome: SyncOutcome) => void
}

export type SyncCalls = ReturnType<typeof createSyncCalls>

/** How something refused a request: the server itself, or what stands before it. */
export interface Refusal {
  status: number
}

const leastPauseMs = 1_000
/** Longer than this nobody is waited for who asks for it. */
const longestRetryAfterMs = 60 * 60_000
/** So often in a row it is told to come later; then something may never take just this. */
const laterMost = 4
/** The server is away, or what stands before it says so: that has nothing to do with what it is asked. */
const awayStatuses = [408, 502, 503, 504]
/** More of an answer than its beginning and the heartbeats of a poll. */
const someCharacters = 100

/**
 * Asks a database of `/sync` until there is a good answer: here it is said what is tried again, and when. A slow line is
 * waited for as long as something comes.
 */
export function createSyncCalls(options: SyncCallsOptions) {
  const { url, readToken, clock, backOff, epoch, signal: ended, onOutcome } = options
  const { line = slowestLine, heard = { at: 0 } } = options

  // The body may take its time; what the head says of the clock is true when it comes.
  const fetch: typeof globalThis.fetch = async (...asked) => {
    const response = await options.fetch(...asked)
    const serverNow = Number(response.headers.get('x-petrel-now'))
    if (serverNow > 0) clock.setServerTime(serverNow)
    return response
  }

  const state = { laterInRow: 0 }

  async function attempt<T>(
    call: SyncCall,
    read: (body: unknown) => T | undefined,
  ): Promise<Attempted<T>> {
    const { signal = ended } = call
    const begun = await backOff.begin(signal)
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
      // A poll that is cut off after a while is how networks are; at once is how they are when broken.
      const wasLong = performance.now() - begunAt > line.silenceMs / 4
      if (wasLong && (call.heartbeatMs === undefined || progress.read > someCharacters)) shrink()
      backOff.fail(begun, { isAway: true })
      onOutcome('unreachable')
      return {}
    }
    const { response } = given
    // What is said of an earlier sign-in ends no later one.
    if (response.status === 401 && readToken() !== token) return {}
    if (response.status === 401) {
      onOutcome('signed-out')
      // Nothing is lost and nothing is asked again: whoever owns this replication ends it.
      return await untilAborted(signal)
    }
    if (response.status === 429 && call.isPush) {
      // It works: it has had enough from this person for now, and takes the rest later.
      onOutcome('reached')
      state.laterInRow += 1
      // It is what was offered, and not the time: what is offered next has not waited for anything yet.
      if (state.laterInRow === laterMost) backOff.forget()
      backOff.fail(begun, { atLeastMs: Math.max(readRetryAfter(response), leastPauseMs) })
      return state.laterInRow < laterMost ? {} : { refusal: { status: 429 } }
    }
    state.laterInRow = 0
    const body = response.ok ? read(given.body) : undefined
    if (body === undefined) {
      // It took too long to send, or was larger than something on the way lets through.
      if (response.status === 408 || response.status === 413) shrink()
      const isAway = awayStatuses.includes(response.status)
      backOff.fail(begun, { atLeastMs: readRetryAfter(response), isAway })
      onOutcome('refusing')
      return isAway ? {} : { refusal: { status: response.status } }
    }
    const told = response.headers.get(epochHeader)
    const isOurs = told === null || (await epoch.take(told).catch(() => undefined))
    if (isOurs === undefined) {
      // The device cannot store it: then it could not store what the answer brings either.
      backOff.fail(begun)
      return {}
    }
    // What the server counts now is another history: this replication is about to end, and learns nothing of it.
    if (!isOurs) return await untilAborted(signal)
    backOff.succeed()
    onOutcome('reached')
    return { answer: body }
  }

  const untilAborted = (signal: AbortSignal) => orAborted(new Promise<never>(() => {}), signal)

  return {
    /**
     * @param describe called before each attempt
     * @param read what an answer says; undefined where it is no answer to this
     * @returns the answer, and the call that led to it
     * @throws the reason of the call's signal or of the replication's, and nothing else
     */
    async ask<Call extends SyncCall, T>(
      describe: () => Call,
      read: (body: unknown) => T | undefined,
    ): Promise<{ call: Call; answer: T }> {
      for (;;) {
        const call = describe()
        const { answer } = await attempt(call, read)
        if (answer !== undefined) return { call, answer }
      }
    },
    /**
     * The same, for what something may never let through: a refusal is given back. The next request waits as after
     * any other failure.
     */
    async offer<Call extends SyncCall, T>(
      describe: () => Call,
      read: (body: unknown) => T | undefined,
    ): Promise<{ call: Call } & ({ answer: T } | { refusal: Refusal })> {
      for (;;) {
        const call = describe()
        const { answer, refusal } = await attempt(call, read)
        if (answer !== undefined) return { call, answer }
        if (refusal) return { call, refusal }
      }
    },
  }
}

/** Neither: it has to be asked again. */
interface Attempted<T> {
  answer?: T
  refusal?: Refusal
}

/** In ms; it is a number of seconds, or a date. */
function readRetryAfter(response: Response): number {
  const told = response.headers.get('retry-after')
  if (told === null) return 0
  const ms = /^\d+$/.test(told) ? Number(told) * 1_000 : Date.parse(told) - Date.now()
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), longestRetryAfterMs) : 0
}
