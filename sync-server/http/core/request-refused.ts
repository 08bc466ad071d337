import { describeError, type ErrorCode } from '../../../schema/api/api-error.ts'

/** A request that is answered with an error of `schema/api/api-error.ts`. */
export class RequestRefused extends Error {
  override name = 'RequestRefused'
  readonly reason: ErrorCode
  readonly status: number
  readonly headers: Record<string, string>
  /** Which part of the request is wrong, for the client's developer. */
  readonly details: string | undefined
  /** The id of a message that was stored as failed. */
  readonly messageId: string | undefined

  /** @param given.words instead of the code's own; @param given.headers sent with the answer */
  constructor(
    reason: ErrorCode,
    given: {
      words?: string
      headers?: Record<string, string>
      details?: string | undefined
      messageId?: string | undefined
      cause?: unknown
    } = {},
  ) {
    const { status, error } = describeError(reason)
    super(given.words ?? error, { cause: given.cause })
    this.reason = reason
    this.status = status
    this.headers = given.headers ?? {}
    this.details = given.details
    this.messageId = given.messageId
  }
}
