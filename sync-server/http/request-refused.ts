import { describeError, type ErrorCode } from '../../schema/api-error.ts'

/** A request that is answered with an error of `schema/api-error.ts`. */
export class RequestRefused extends Error {
  override name = 'RequestRefused'
  readonly reason: ErrorCode
  readonly status: number
  readonly headers: Record<string, string>

  /** @param details.words instead of the code's own; @param details.headers sent with the answer */
  constructor(
    reason: ErrorCode,
    details: { words?: string; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    const { status, error } = describeError(reason)
    super(details.words ?? error, { cause: details.cause })
    this.reason = reason
    this.status = status
    this.headers = details.headers ?? {}
  }
}
