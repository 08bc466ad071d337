/**
 * A failed call. `message` is for a person; `code` is the server's code, or `network`, `timeout`,
 * `unreadable`, `unknown` (the server gave no words), `input` (never sent).
 * `status` is 0 without an answer. `retryAfterMs`: how long the server asks clients to wait.
 */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly retryAfterMs: number

  constructor(problem: {
    status: number
    code: string
    words: string
    retryAfterMs?: number
    cause?: unknown
  }) {
    super(problem.words, { cause: problem.cause })
    this.status = problem.status
    this.code = problem.code
    this.retryAfterMs = problem.retryAfterMs ?? 0
  }
}

/** @throws ApiError `input` with these words, before sending, when required input is missing */
export function requireInput(isGiven: unknown, words: string): asserts isGiven {
  if (!isGiven) throw new ApiError({ status: 0, code: 'input', words })
}

const passing = new Set([0, 408, 429])

/** May the same request succeed later? */
export function isPassing(cause: unknown): boolean {
  return cause instanceof ApiError && (passing.has(cause.status) || cause.status >= 500)
}

/** Does the server say that there is no such account? */
export function isUserGone(cause: unknown): boolean {
  return cause instanceof ApiError && cause.code === 'user_not_found'
}
