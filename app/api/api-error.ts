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
