import * as z from 'zod/mini'
import { findKnownError, type Remedy } from './provider-errors.ts'

/** An error of the provider, fit to be shown and logged: no secret and no message text is in it. */
export interface ProviderError {
  /** Meta's code; null where its answer was none of Meta's. */
  code: number | null
  /** For a person. */
  words: string
  /** What Meta says about it, for the operator. */
  details: string | null
  remedy: Remedy
  /** What our own API answers. */
  status: 422 | 429 | 502 | 503
  /** The HTTP status of the answer. */
  httpStatus: number
  opensBreaker: boolean
  retriesMax: number
  /** Worth trying again so much later at the earliest, ms. */
  afterMs: number
  traceId: string | null
}

const usualRetries = 5

/** Tolerant: anything of it may be missing, and `error_data` may be a bare string. */
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

/** Reads an answer of Meta's error form. @returns null when it is none */
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

/** In place of an answer that is none of Meta's: a page of a proxy, half a body. */
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

/** In place of an answer, where no connection came about: nothing has left. */
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
