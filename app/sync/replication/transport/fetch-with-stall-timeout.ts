import { epochHeader, wireHeader, wireVersion } from '../../../../schema/api/wire.ts'
import { parseJson } from '../../../../schema/helpers/json.ts'
import { orAborted } from '../../platform/back-off.ts'
import type { AdaptiveBatchSize } from './adaptive-batch-size.ts'

/** The slowest supported line. */
export interface Line {
  /** A connection silent for this long is dead. */
  silenceMs: number
  /** A request may take this long to leave; nothing reports its progress. */
  bytesPerSecond: number
}

export const slowestLine: Line = { silenceMs: 30_000, bytesPerSecond: 2 * 1024 }

/** The body of such an answer says whose it is. */
const toldByBody = [401, 426]

export interface StallTimeoutOptions {
  fetch: typeof fetch
  /** The database's address, with a trailing slash. */
  url: string
  line: Line
  token: string | undefined
  /** The server epoch that this device knows. */
  epoch: string | undefined
  signal: AbortSignal
  /** How much of the answer has arrived, in characters. */
  progress: { read: number }
  /** When anything last arrived on any connection to this server, by `performance.now()`. */
  heard: { at: number }
}

/**
 * Sends a request, and reads the answer as long as any of it arrives, however slowly.
 *
 * @returns the body of a good answer, a 401 or a 426, parsed; undefined when it is not JSON
 */
export async function fetchWithStallTimeout(call: SyncCall, options: StallTimeoutOptions) {
  const { fetch, url, line, token, epoch, signal, progress, heard } = options
  const { path, body, heartbeatMs = 0 } = call
  const bytes = body === undefined ? 0 : new Blob([body]).size
  // While a poll waits, every heartbeat of the server confirms it.
  const silenceMs = line.silenceMs + heartbeatMs
  const stop = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = () => stop.abort(signal.reason)
  /** @param quietMs how long to wait while nothing arrives on any connection */
  function listen(ms: number, quietMs = ms) {
    clearTimeout(timer)
    const begunAt = performance.now()
    const look = () => {
      const now = performance.now()
      const quietLeft = Math.max(begunAt, heard.at) + quietMs - now
      const left = Math.min(quietLeft, begunAt + ms - now)
      if (left > 0) timer = setTimeout(look, left)
      else stop.abort(new Error(`Nothing came for ${ms} ms.`))
    }
    timer = setTimeout(look, quietMs)
  }

  signal.addEventListener('abort', end, { once: true })
  try {
    signal.throwIfAborted()
    const leavingMs = (bytes / line.bytesPerSecond) * 1_000
    // A person waits for the tick. An answer may queue behind an arriving page.
    const quietMs = call.isPush ? silenceMs / 2 : silenceMs
    listen(silenceMs + leavingMs, quietMs + leavingMs)
    const response = await fetch(url + path, {
      ...(body !== undefined && { method: 'POST', body }),
      cache: 'no-store',
      signal: stop.signal,
      headers: {
        [wireHeader]: String(wireVersion),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
        ...(epoch && { [epochHeader]: epoch }),
      },
    })
    heard.at = performance.now()
    if (!response.ok && !toldByBody.includes(response.status)) return { response }
    const reader = response.body?.getReader()
    const decoder = new TextDecoder()
    let text = ''
    for (;;) {
      listen(silenceMs)
      stop.signal.throwIfAborted()
      const part = await (reader && orAborted(reader.read(), stop.signal))
      if (!part || part.done) break
      heard.at = performance.now()
      text += decoder.decode(part.value, { stream: true })
      progress.read = text.length
    }
    return { response, body: parseJson(text) }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}

/** One request to a database of `/sync`. */
export interface SyncCall {
  /** Below the database's address, with its query. */
  path: string
  /** JSON, which makes it a POST. */
  body?: string
  /** A long poll: the server sends a heartbeat at least this often until it answers. */
  heartbeatMs?: number
  /** It offers documents: a rate-limiting server accepts them later. */
  isPush?: boolean
  /** Aborts when its answer is no longer needed, and with the replication. */
  signal?: AbortSignal
  /** This request's share of the full batch: after a break the next one is smaller. */
  size?: { batchSize: AdaptiveBatchSize; amount: number }
}
