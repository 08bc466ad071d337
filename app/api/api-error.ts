/**
 * A call that did not succeed. `message` is for a person; `code` is the server's word for it, or
 * `network`, `timeout`, `unreadable`, `unknown` (no words of the server's own), `input` (never sent).
 * `status` is 0 when there was no answer. `retryAfterMs`: how long the server asks to be left alone.
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
