import { epochHeader } from '../../schema/epoch-header.ts'
import { orAborted } from './create-back-off.ts'
import type { SyncCall } from './sync-calls.ts'

/** The slowest line that is waited for. */
export interface Line {
  /** A connection on which nothing comes for so long is dead. */
  silenceMs: number
  /** A request takes so long to leave; nothing tells how far it is. */
  bytesPerSecond: number
}

export const slowestLine: Line = { silenceMs: 30_000, bytesPerSecond: 2 * 1024 }

export interface Asking {
  fetch: typeof fetch
  /** The database's address, with a slash at its end. */
  url: string
  line: Line
  token: string | undefined
  /** The epoch of the server that this device knows. */
  epoch: string | undefined
  signal: AbortSignal
  /** How much of the answer has come, in characters. */
  progress: { read: number }
}

/**
 * Asks, and reads the answer as long as something of it comes, however slowly.
 *
 * @returns the body of a good answer, parsed; undefined when it is no JSON
 */
export async function askPatiently(call: SyncCall, options: Asking) {
  const { fetch, url, line, token, epoch, signal, progress } = options
  const { path, body, heartbeatMs = 0 } = call
  const bytes = body === undefined ? 0 : new Blob([body]).size
  // While a poll waits, the server says so with every heartbeat.
  const silenceMs = line.silenceMs + heartbeatMs
  const stop = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = () => stop.abort(signal.reason)
  function listen(ms: number) {
    clearTimeout(timer)
    timer = setTimeout(() => stop.abort(new Error(`Nothing came for ${ms} ms.`)), ms)
  }

  signal.addEventListener('abort', end, { once: true })
  try {
    signal.throwIfAborted()
    listen(silenceMs + (bytes / line.bytesPerSecond) * 1_000)
    const response = await fetch(url + path, {
      ...(body !== undefined && { method: 'POST', body }),
      cache: 'no-store',
      signal: stop.signal,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
        ...(epoch && { [epochHeader]: epoch }),
      },
    })
    if (!response.ok) return { response }
    const reader = response.body?.getReader()
    const decoder = new TextDecoder()
    let text = ''
    for (;;) {
      listen(silenceMs)
      stop.signal.throwIfAborted()
      const part = await (reader && orAborted(reader.read(), stop.signal))
      if (!part || part.done) break
      text += decoder.decode(part.value, { stream: true })
      progress.read = text.length
    }
    return { response, body: parse(text) }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
