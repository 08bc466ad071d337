import { createDeferred } from '../../schema/create-deferred.ts'
import { epochHeader } from '../../schema/epoch-header.ts'
import type { Clock } from '../database/create-clock.ts'
import { askPatiently, type Line, slowestLine } from './ask-patiently.ts'
import type { FollowedPlace, HeardChanges } from './change-feed.ts'
import { type BackOff, orAborted } from './create-back-off.ts'
import { createPortion, type Portion } from './create-portion.ts'
import type { PullPace } from './create-pull-pace.ts'
import { createPushWatch } from './create-push-watch.ts'
import { asCatchUp, describeSyncRequest, type SyncRequest } from './describe-sync-request.ts'
import { isSyncAnswer } from './is-sync-answer.ts'
import type { KnownEpoch } from './known-epoch.ts'
import type { ServerDocument, ServerVersions } from './server-versions.ts'
import { splitPush } from './split-push.ts'

/** From so many rows in one answer on, more are on their way: the next poll waits for them, so that they cost one write. */
const manyRows = 5
const gatherMs = 100
const leastPauseMs = 1_000

/** How a request to `/sync` ended, as far as a person may care. */
export type SyncOutcome = 'reached' | 'unreachable' | 'refusing' | 'signed-out'

/** In UTF-8 a character takes three bytes at most, or a pair of them four: this stays below the server's limit. */
const mostCharacters = 2_500_000
/** What comes with a minute of waiting on the slowest line; more only after it has been quick. */
const firstCharacters = 120_000
const leastCharacters = 10_000
/** More of an answer than its beginning and the heartbeats of a poll. */
const someCharacters = 100

export interface DatabaseFeed {
  isOpen(): boolean
  /** Undefined where the server has to be asked. */
  next(place: Omit<FollowedPlace, 'database'>): Promise<HeardChanges | undefined>
}

export interface SyncFetchOptions {
  fetch: typeof fetch
  /** Read for every request: the token may be a new one. */
  readToken: () => string | undefined
  clock: Clock
  backOff: BackOff
  epoch: KnownEpoch
  /** Where everything is offered again: what the server holds of it already. */
  versions?: ServerVersions | undefined
  /** Resolves when RxDB has taken note of every push that has been answered. */
  untilNoted: () => Promise<unknown>
  /** Holds back a pull until there is room for what it brings. */
  pace: PullPace
  /** How many documents a page has when the line is good. */
  pageRows: number
  /** Told before an answer to a catch-up: with fewer rows than this there is no more to come. */
  onPage: (rows: number) => void
  line?: Line | undefined
  /** The socket's changes of this database, in place of waiting requests. */
  feed?: DatabaseFeed | undefined
  /** Aborts when this replication ends: RxDB does not end its waiting poll by itself. */
  signal: AbortSignal
  onOutcome: (outcome: SyncOutcome) => void
}

/**
 * The `fetch` of one replication. RxDB's CouchDB plugin never looks at a status, never times out, and begins
 * its live feed at `now` whenever that happens to be; this makes up for all three (see `Known gotchas`).
 * It gives back only good answers, and paces everything else by the back-off. A slow line is waited for as long
 * as something comes; what breaks off is asked for in smaller pieces.
 */
export function createSyncFetch(options: SyncFetchOptions): typeof fetch {
  const { readToken, clock, backOff, epoch, versions, pace, pageRows, signal, onOutcome } = options
  const { line = slowestLine, feed } = options
  const caughtUp = createDeferred<string>()
  const pushes = createPushWatch(options)
  const page = createPortion({ first: pageRows, least: 1, most: pageRows })
  const parcel = createPortion({
    ...{ first: firstCharacters, least: leastCharacters, most: mostCharacters },
  })
  /** What the server has answered, by document, of pushes that broke off: it is not said again. */
  const answered = new Map<string, unknown>()
  let gathering = Promise.resolve()
  /** The last page that was asked for beside the line was full. */
  let isBehind = false
  let pushing: Promise<unknown> = Promise.resolve()

  // The body may take its time; what the head says of the clock is true when it comes.
  const fetch: typeof globalThis.fetch = async (...asked) => {
    const response = await options.fetch(...asked)
    const serverNow = Number(response.headers.get('x-petrel-now'))
    if (serverNow > 0) clock.hear(serverNow)
    return response
  }

  async function attempt(
    request: SyncRequest,
    size?: { portion: Portion; amount: number },
  ): Promise<unknown> {
    const begun = await backOff.begin(signal)
    const begunAt = performance.now()
    const progress = { read: 0 }
    const shrink = () => size?.portion.shrink(size.amount)
    const token = readToken()
    const given = await askPatiently(request, {
      ...{ fetch, line, token, epoch: epoch.get(), signal, progress },
    }).catch((cause: unknown) => {
      // A poll that is cut off after a while is how networks are; at once is how they are when broken.
      if (!signal.aborted) {
        const wasLong = performance.now() - begunAt > line.silenceMs / 4
        if (wasLong && (!request.isPoll || progress.read > someCharacters)) shrink()
        backOff.fail(begun)
        onOutcome('unreachable')
      }
      throw cause
    })
    const { response, body } = given
    // What is said of an earlier sign-in ends no later one.
    if (response.status === 401 && readToken() !== token) return await attempt(request, size)
    if (response.status === 401) {
      onOutcome('signed-out')
      // Nothing is lost and nothing is asked again: whoever owns this replication ends it.
      return await orAborted(new Promise<never>(() => {}), signal)
    }
    if (response.status === 429 && request.isPush) {
      // It works: it has had enough from this person for now, and takes the rest later.
      onOutcome('reached')
      await orAborted(sleep(Math.max(readRetryAfter(response), leastPauseMs)), signal)
      return await attempt(request, size)
    }
    if (!response.ok || !isSyncAnswer(request, body)) {
      // It took too long to send, or was larger than something on the way lets through.
      if (response.status === 408 || response.status === 413) shrink()
      backOff.fail(begun, readRetryAfter(response))
      onOutcome('refusing')
      throw new Error(`The sync server answered ${response.status}.`)
    }
    const told = response.headers.get(epochHeader)
    // What the server counts now is another history: this replication is about to end, and learns nothing of it.
    if (told !== null && !(await takeEpoch(told, begun))) {
      return await orAborted(new Promise<never>(() => {}), signal)
    }
    backOff.succeed()
    onOutcome('reached')
    return body
  }

  async function takeEpoch(told: string, begun: object): Promise<boolean> {
    return await epoch.take(told).catch((cause: unknown) => {
      // The device cannot store it: then it could not store what the answer brings either.
      backOff.fail(begun)
      throw cause
    })
  }

  async function attemptPush(request: SyncRequest): Promise<unknown[]> {
    const { docs } = JSON.parse(String(request.init.body)) as { docs: ServerDocument[] }
    const texts = docs.map((doc) => JSON.stringify(doc))
    if (versions) {
      await versions.untilPulled(signal)
      for (const [at, doc] of docs.entries()) {
        if (versions.takeHeld(doc)) answered.set(texts[at] ?? '', { ok: true, id: doc._id })
      }
    }
    const ids = docs.map(({ _id }) => _id)
    return await pushes.watch(ids, async () => {
      // RxDB pushes all that waits side by side: on a slow line each would take the time of all.
      const sending = pushing.then(() => sendInParts(request, texts))
      pushing = sending.catch(() => {})
      return await sending
    })
  }

  async function sendInParts(request: SyncRequest, texts: readonly string[]): Promise<unknown[]> {
    let left: readonly string[] = texts.filter((text) => !answered.has(text))
    while (left.length > 0) {
      const { part, rest } = splitPush(left, parcel.size())
      const body = `{"docs":[${part.join(',')}]}`
      const size = { portion: parcel, amount: body.length }
      const pushed = { ...request, init: { ...request.init, body } }
      const rows = (await attempt(pushed, size)) as unknown[]
      parcel.grow(body.length)
      part.forEach((text, at) => void answered.set(text, rows[at]))
      left = rest
    }
    const rows = texts.map((text) => answered.get(text))
    for (const text of texts) answered.delete(text)
    return rows
  }

  async function askPage(request: SyncRequest): Promise<Page> {
    const limit = page.size()
    request.limit = limit
    const changes = (await attempt(request, { portion: page, amount: limit })) as Changes
    page.grow(changes.results.length)
    return { changes, isAll: changes.results.length < limit }
  }

  /** What is new: from the line while it is up, and else by a request that waits. */
  async function awaitNews(request: SyncRequest): Promise<Page> {
    while (feed?.isOpen() && request.since !== undefined) {
      // While the line is up the server is there, whatever an earlier request came to.
      onOutcome('reached')
      const place = { since: request.since, epoch: epoch.get(), signal }
      const heard = isBehind ? undefined : await feed.next(place)
      if (heard) return { changes: heard, isAll: true }
      if (!feed.isOpen()) break
      const asked = await askPage(asCatchUp(request))
      isBehind = !asked.isAll
      if (asked.changes.results.length > 0) return asked
      request.since = String(asked.changes.last_seq)
    }
    return await askPage(request)
  }

  async function attemptPull(request: SyncRequest): Promise<Changes> {
    if (request.isPoll) await orAborted(gathering, signal)
    await orAborted(pace.untilRoom(), signal)
    const { changes, isAll } = await (request.isPoll ? awaitNews(request) : askPage(request))
    const ids = changes.results.map(({ id }) => id)
    versions?.note(changes.results.map(({ doc }) => doc))
    await orAborted(pushes.untilOver(ids), signal)
    if (ids.length > 0) pace.note({ place: String(changes.last_seq), count: ids.length })
    if (request.isPoll && isAll && ids.length >= manyRows) gathering = sleep(gatherMs)
    if (request.isCatchUp) options.onPage(request.limit)
    if (request.isCatchUp && isAll) {
      caughtUp.resolve(String(changes.last_seq))
      versions?.notePulled()
    }
    return changes
  }

  return async (input, init) => {
    const request = describeSyncRequest(String(input), init)
    // The server's rule merges whatever it is offered, so looking first would only cost a way. What it holds
    // in place of a proposal comes with the conflict that it then answers.
    if (request.isLookUp) {
      return answer({ rows: request.keys.map((key) => ({ key, error: 'not_found' })) })
    }
    if (request.since === 'now') request.since = await orAborted(caughtUp.promise, signal)
    if (request.isPush) return answer(await attemptPush(request))
    return answer(await (request.isPull ? attemptPull(request) : attempt(request)))
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

interface Changes {
  results: { id: string; doc: ServerDocument }[]
  last_seq: string | number
}

interface Page {
  changes: Changes
  /** There is nothing behind it. */
  isAll: boolean
}

/** The plugin only reads JSON: it is handed over parsed. */
function answer(body: unknown): Response {
  return Object.assign(new Response(null), { json: async () => body })
}

function readRetryAfter(response: Response): number {
  const seconds = Number(response.headers.get('retry-after'))
  return Number.isFinite(seconds) ? Math.min(seconds, 60) * 1_000 : 0
}
