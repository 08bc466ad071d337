import * as z from 'zod/mini'
import { findKnownError, type Remedy } from './provider-errors.ts'

/** A provider's error, safe to show and log: without secrets and message texts. */
export interface ProviderError {
  /** Meta's code; null for an answer that is not Meta's. */
  code: number | null
  /** For a person. */
  words: string
  /** What Meta says about it, for the operator. */
  details: string | null
  remedy: Remedy
  /** The HTTP status of our own answer. */
  status: 422 | 429 | 502 | 503
  /** The HTTP status of Meta's answer. */
  httpStatus: number
  opensBreaker: boolean
  retriesMax: number
  /** The earliest time for a retry, ms. */
  afterMs: number
  traceId: string | null
}

const usualRetries = 5

/** Tolerant: any part may be missing, and `error_data` may be a bare string. */
const errorBody = z.object({
  error: z.looseObject({
    code: z.coerce.number(),
    message: z.catch(z.string(), ''),
    error_data: z.catch(
      z.optional(z.union([z.string(), z.looseObject({ details: z.optional(z.string()) })])),
      undefined,
    ),
    is_transient: z.catch(z.optional(z.boolean()), undefined),
    fbtrace_id: z.catch(z.optional(z.string()), undefined),
  }),
})

/** Reads an answer in Meta's error format. @returns null for anything else */
export function readProviderError(body: unknown, httpStatus: number): ProviderError | null {
  const read = errorBody.safeParse(body)
  if (!read.success) return null
  const { code, message, error_data, is_transient, fbtrace_id } = read.data.error
  const { words, remedy, status, opensBreaker, retriesMax, afterMs } = findKnownError(code)
  const details = typeof error_data === 'string' ? error_data : error_data?.details
  const isRetryable = is_transient === true && remedy !== 'operator'
  return {
    code,
    words,
    status,
    httpStatus,
    details: details ?? (message || null),
    remedy: isRetryable ? 'later' : remedy,
    opensBreaker: opensBreaker ?? false,
    retriesMax: retriesMax ?? usualRetries,
    afterMs: afterMs ?? 0,
    traceId: fbtrace_id ?? null,
  }
}

/** For an answer that is not Meta's: a proxy's page, or half a body. */
export function makeUnreadableError(httpStatus: number): ProviderError {
  const isServerFault = httpStatus >= 500 || httpStatus === 429
  return {
    code: null,
    httpStatus,
    details: `HTTP ${httpStatus} without an answer of WhatsApp`,
    words: 'WhatsApp gave an answer that makes no sense. Try again later.',
    remedy: isServerFault ? 'later' : 'none',
    status: 502,
    opensBreaker: false,
    retriesMax: usualRetries,
    afterMs: 0,
    traceId: null,
  }
}

/** For a failed connection: nothing was sent. */
export function makeUnreachableError(): ProviderError {
  return {
    code: null,
    httpStatus: 0,
    details: null,
    remedy: 'later',
    status: 503,
    words: 'WhatsApp is not reachable at the moment.',
    opensBreaker: false,
    retriesMax: usualRetries,
    afterMs: 0,
    traceId: null,
  }
}
