import * as z from 'zod/mini'
import { describeError, type ErrorCode } from '../../../schema/api/api-error.ts'
import { idPattern } from '../../../schema/id.ts'
import { limits } from '../../../schema/limits.ts'
import type { Route } from './route.ts'

/** The header that makes a repeated call idempotent: a UUID, in any case. */
export const idempotencyKey = z.object({
  'idempotency-key': z.optional(
    z.pipe(
      z.pipe(
        z.string(),
        z.transform((text: string) => text.trim().toLowerCase()),
      ),
      z.string().check(z.regex(idPattern, 'Idempotency-Key must be a UUID')),
    ),
  ),
})

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

/** Every refusal that a call can return: its own, and those of every call of its kind. */
export function listErrors(route: Route): ErrorCode[] {
  const takesSomething = route.body ?? route.params ?? route.query ?? route.headers
  return [
    ...(takesSomething ? (['invalid_input'] as const) : []),
    ...(route.body
      ? ([
          ...(['not_json', 'nested_too_deeply', 'too_large', 'json_required'] as const),
          'request_timed_out',
        ] as const)
      : []),
    ...(route.access === 'anyone' ? [] : (['authentication_required', 'session_ended'] as const)),
    // Others learn of no admins.
    ...(route.access === 'admin' ? (['not_found', 'second_factor_needed'] as const) : []),
    ...(route.errors ?? []),
    ...([
      'app_outdated',
      'server_outdated',
      'too_many_at_once',
      'internal_error',
      'busy',
      'storage_unavailable',
    ] as const),
  ]
}

/**
 * Refuses a caller who has to wait before another attempt, and tells them how long.
 * @param seconds 0 when nobody has to wait
 * @throws RequestRefused with this reason
 */
export function refuseTooEarly(seconds: number, reason: ErrorCode): void {
  if (seconds === 0) return
  throw new RequestRefused(reason, { headers: { 'retry-after': String(seconds) } })
}

/**
 * The digits of a phone number in any formatting.
 * @throws RequestRefused when it has too few digits
 */
export function readWholeNumber(text: string): string {
  const digits = text.replace(/\D/g, '')
  if (digits.length >= limits.phoneLookupMinDigits) return digits
  const words = `Phone number must be at least ${limits.phoneLookupMinDigits} digits`
  throw new RequestRefused('invalid_input', { words })
}
