import type * as z from 'zod/mini'
import { errorAnswer, isSignedOutAnswer } from '../../schema/api/api-error.ts'
import { wireHeader, wireVersion } from '../../schema/api/wire.ts'
import { limits } from '../../schema/limits.ts'
import { ApiError } from './api-error.ts'
import type { SessionStore } from './session-store.ts'

/** What becomes of a file as it arrives. */
export type OpenFile = (file: ReadableStream<Uint8Array>) => Promise<Blob>

export interface Call<Answer extends z.ZodMiniType> {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/api`, with its parts encoded. */
  path: string
  /** JSON, a form with a file, or bytes. */
  body?: unknown
  answer: Answer
  /** Is the answer a file? Then it becomes a `Blob`, and no cache keeps a second copy of it. */
  isFile?: boolean
  /** What becomes of that file as it arrives. Rejects with an `ApiError` for what it cannot use. */
  open?: OpenFile | undefined
  /** The fallback words when the server gives none. Source: decision 61, section 8. */
  fallback: string
  /** Words for a status; they take precedence over the server's. */
  words?: Partial<Record<number, string>>
  token?: string | undefined
  /** A UUID that makes retries idempotent. */
  key?: string | undefined
  signal?: AbortSignal | undefined
  /** The timeout; 15 s when absent. */
  timeoutMs?: number | undefined
}

/** Options for a call that may need retries. */
export type CallOptions = Pick<Call<z.ZodMiniType>, 'key' | 'signal'>

export interface CallerOptions {
  /** The server's origin; empty for the page's own. */
  serverUrl: string
  fetch: typeof fetch
  /** Called with the server's time (`x-petrel-now`, epoch ms) when an answer carries it. */
  onServerTime?: (now: number) => void
  /**
   * Called when the server said that this token's sign-in has ended; the call fails once this has
   * resolved.
   */
  onUnauthorized: (token: string) => void | Promise<void>
  /** The timeout for calls that set none; 15 s when absent. */
  timeoutMs?: number
}

export type Caller = ReturnType<typeof createCaller>

/**
 * Makes one HTTP call: JSON in and out, the answer parsed, 15 s at most.
 * @throws ApiError, always with words for a person.
 */
export function createCaller(options: CallerOptions) {
  const { serverUrl, fetch, onServerTime, onUnauthorized } = options

  return async function call<Answer extends z.ZodMiniType>(
    request: Call<Answer>,
  ): Promise<z.infer<Answer>> {
    const limit = AbortSignal.timeout(request.timeoutMs ?? options.timeoutMs ?? limits.apiTimeoutMs)
    const signal = request.signal ? joinSignals([request.signal, limit]) : limit
    const { response, json } = await ask(request, signal).catch((cause: unknown) => {
      throw withoutAnswer(cause, limit.aborted)
    })
    const isSignedOut = isSignedOutAnswer({ status: response.status, body: json })
    if (isSignedOut && request.token) await onUnauthorized(request.token)
    if (!response.ok) throw refused({ request, response, json })
    const parsed = request.answer.safeParse(json)
    if (parsed.success) return parsed.data
    const { status } = response
    throw new ApiError({ status, code: 'unreadable', words: request.fallback, cause: parsed.error })
  }

  async function ask(request: Call<z.ZodMiniType>, signal: AbortSignal) {
    const { method = 'GET', path, body, token, key, isFile } = request
    const isForm = body instanceof FormData
    const isBytes = body instanceof Blob
    const kind = isBytes ? 'application/octet-stream' : 'application/json'
    const response = await fetch(`${serverUrl}/api${path}`, {
      method,
      signal,
      credentials: 'include',
      ...(isFile && { cache: 'no-store' as const }),
      headers: {
        accept: isFile ? '*/*' : 'application/json',
        [wireHeader]: String(wireVersion),
        ...(body !== undefined && !isForm && { 'content-type': kind }),
        ...(token && { authorization: `Bearer ${token}` }),
        ...(key && { 'idempotency-key': key }),
      },
      ...(body !== undefined && { body: isForm || isBytes ? body : JSON.stringify(body) }),
    })
    // Reported before the body, which may take a while.
    const serverNow = Number(response.headers.get('x-petrel-now'))
    if (serverNow > 0) onServerTime?.(serverNow)
    // Without the time, an intermediary answered, such as a hotel's portal.
    if (isFile && response.ok && serverNow > 0) {
      const { open } = request
      if (!open) return { response, json: await response.blob() }
      const stream = response.body ?? (await response.blob()).stream()
      return { response, json: await open(stream) }
    }
    const json: unknown = await response.json().catch((cause: unknown) => {
      if (cause instanceof SyntaxError) return undefined
      throw cause
    })
    return { response, json }
  }
}

function withoutAnswer(cause: unknown, isTimeout: boolean): ApiError {
  if (cause instanceof ApiError) return cause
  return isTimeout
    ? new ApiError({ status: 408, code: 'timeout', words: 'Request timeout', cause })
    : new ApiError({
        status: 0,
        code: 'network',
        words: 'Network error: Unable to connect to server',
        cause,
      })
}

function refused(answer: {
  request: Pick<Call<z.ZodMiniType>, 'fallback' | 'words'>
  response: Response
  json: unknown
}): ApiError {
  const { request, response } = answer
  const { status } = response
  const seconds = Number(response.headers.get('retry-after'))
  const told = errorAnswer.safeParse(answer.json)
  return new ApiError({
    status,
    code: told.success ? told.data.code : 'unknown',
    retryAfterMs: seconds > 0 ? seconds * 1_000 : 0,
    words: request.words?.[status] ?? (told.success ? told.data.error : request.fallback),
  })
}

export type ApiOptions = Omit<CallerOptions, 'onUnauthorized'> & { sessions: SessionStore }

/**
 * `call` for anyone, and `callSignedIn` with the current sign-in's token. The
 * server's own 401 removes the sign-in, nothing else.
 */
export function createCallers(options: ApiOptions): { call: Caller; callSignedIn: Caller } {
  const { sessions, ...rest } = options
  const call = createCaller({
    ...rest,
    async onUnauthorized(token) {
      if (sessions.get()?.token === token) await sessions.expire()
    },
  })
  return {
    call,
    async callSignedIn(request) {
      const token = sessions.get()?.token
      if (token) return await call({ ...request, token })
      const words = 'Authentication required'
      throw new ApiError({ status: 401, code: 'authentication_required', words })
    },
  }
}

/**
 * Aborts when any of them does, then removes its listeners: `AbortSignal.any`, which browsers of
 * 2023 lack.
 */
export function joinSignals(signals: readonly AbortSignal[]): AbortSignal {
  const joined = new AbortController()
  for (const signal of signals) {
    if (signal.aborted) joined.abort(signal.reason)
    const abort = () => joined.abort(signal.reason)
    signal.addEventListener('abort', abort, { once: true, signal: joined.signal })
  }
  return joined.signal
}

/** The answer, or the fallback when the server has none (404). */
export function orWhenMissing<Answer, Instead>(
  asked: Promise<Answer>,
  instead: Instead,
): Promise<Answer | Instead> {
  return asked.catch((cause: unknown) => {
    if (cause instanceof ApiError && cause.status === 404) return instead
    throw cause
  })
}
