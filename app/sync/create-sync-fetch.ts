import type { Clock } from '../database/create-clock.ts'
import { type BackOff, orAborted } from './create-back-off.ts'
import { createDeferred } from './create-deferred.ts'
import type { PullPace } from './create-pull-pace.ts'
import { createPushWatch } from './create-push-watch.ts'
import { describeSyncRequest, type SyncRequest } from './describe-sync-request.ts'
import { splitPush } from './split-push.ts'

/** From so many rows in one answer on, more are on their way: the next poll waits for them, so that they cost one write. */
const manyRows = 5
const gatherMs = 100

/** How a request to `/sync` ended, as far as a person may care. */
export type SyncOutcome = 'reached' | 'unreachable' | 'refusing' | 'signed-out'

/** A poll is answered within 25 s by the server; a connection that says nothing for longer is dead. */
const pollTimeoutMs = 40_000
const requestTimeoutMs = 30_000

export interface SyncFetchOptions {
  fetch: typeof fetch
  /** Read for every request: the token may be a new one. */
  readToken: () => string | undefined
  clock: Clock
  backOff: BackOff
  /** Resolves when RxDB has taken note of every push that has been answered. */
  untilNoted: () => Promise<unknown>
  /** Holds back a pull until there is room for what it brings. */
  pace: PullPace
  /** Aborts when this replication ends: RxDB does not end its waiting poll by itself. */
  signal: AbortSignal
  onOutcome: (outcome: SyncOutcome) => void
}

/**
 * The `fetch` of one replication. RxDB's CouchDB plugin never looks at a status, never times out, and begins
 * its live feed at `now` whenever that happens to be; this makes up for all three (see `Known gotchas`).
 * It gives back only good answers, and paces everything else by the back-off.
 */
export function createSyncFetch(options: SyncFetchOptions): typeof fetch {
  const { readToken, clock, backOff, pace, signal, onOutcome } = options
  const caughtUp = createDeferred<string>()
  const pushes = createPushWatch(options)
  let gathering = Promise.resolve()

  async function attempt(request: SyncRequest): Promise<unknown> {
    const begun = await backOff.begin(signal)
    const token = readToken()
    const limit = AbortSignal.timeout(request.isPoll ? pollTimeoutMs : requestTimeoutMs)
    const given = await readAnswer(options.fetch, request, { token, signal, limit }).catch(
      (cause: unknown) => {
        // A poll that is cut off after a while is how networks are; at once is how they are when broken.
        if (!signal.aborted) {
          backOff.fail(begun)
          onOutcome('unreachable')
        }
        throw cause
      },
    )
    const { response, body } = given
    const serverNow = Number(response.headers.get('x-petrel-now'))
    if (serverNow > 0) clock.hear(serverNow)
    if (response.status === 401) {
      onOutcome('signed-out')
      // Nothing is lost and nothing is asked again: whoever owns this replication ends it.
      return await orAborted(new Promise<never>(() => {}), signal)
    }
    if (!response.ok || body === undefined) {
      backOff.fail(begun, readRetryAfter(response))
      onOutcome('refusing')
      throw new Error(`The sync server answered ${response.status}.`)
    }
    backOff.succeed()
    onOutcome('reached')
    return body
  }

  async function attemptPush(request: SyncRequest): Promise<unknown[]> {
    const { docs } = JSON.parse(String(request.init.body)) as { docs: { _id: string }[] }
    const ids = docs.map(({ _id }) => _id)
    return await pushes.watch(ids, async () => {
      const rows: unknown[] = []
      for (const body of splitPush(docs)) {
        const init = { ...request.init, body }
        rows.push(...((await attempt({ ...request, init })) as unknown[]))
      }
      return rows
    })
  }

  async function attemptPull(request: SyncRequest): Promise<Changes> {
    if (request.isPoll) await orAborted(gathering, signal)
    await orAborted(pace.untilRoom(), signal)
    const changes = (await attempt(request)) as Changes
    const ids = changes.results.map(({ id }) => id)
    await orAborted(pushes.untilOver(ids), signal)
    if (ids.length > 0) pace.note({ place: String(changes.last_seq), count: ids.length })
    const areMany = ids.length >= manyRows && ids.length < request.limit
    if (request.isPoll && areMany) gathering = sleep(gatherMs)
    if (request.isCatchUp && ids.length < request.limit) caughtUp.resolve(String(changes.last_seq))
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
  results: { id: string }[]
  last_seq: string | number
}

/** The plugin only reads JSON: it is handed over parsed. */
function answer(body: unknown): Response {
  return Object.assign(new Response(null), { json: async () => body })
}

async function readAnswer(
  fetch: SyncFetchOptions['fetch'],
  request: SyncRequest,
  { token, signal, limit }: { token: string | undefined; signal: AbortSignal; limit: AbortSignal },
) {
  const stop = new AbortController()
  const end = () => stop.abort(signal.aborted ? signal.reason : limit.reason)
  for (const source of [signal, limit]) source.addEventListener('abort', end, { once: true })
  try {
    const response = await fetch(request.url(), {
      ...request.init,
      cache: 'no-store',
      signal: stop.signal,
      headers: {
        ...(request.init.body != null && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
      },
    })
    const body: unknown = response.ok
      ? await response.json().catch((cause: unknown) => {
          if (stop.signal.aborted) throw cause
          return undefined
        })
      : undefined
    return { response, body }
  } finally {
    signal.removeEventListener('abort', end)
  }
}

function readRetryAfter(response: Response): number {
  const seconds = Number(response.headers.get('retry-after'))
  return Number.isFinite(seconds) ? Math.min(seconds, 60) * 1_000 : 0
}
