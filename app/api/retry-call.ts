import { limits } from '../../schema/limits.ts'
import { ApiError } from './api-error.ts'

const prefixes: Partial<Record<number, string>> = {
  400: 'Bad Request: ',
  401: 'Unauthorized: ',
  403: 'Forbidden: ',
  404: 'Not Found: ',
  429: 'Too Many Requests: ',
  500: 'Internal Server Error: ',
}

const wholeTexts: Partial<Record<number, string>> = {
  502: 'Bad Gateway: Server is temporarily unavailable',
  503: 'Service Unavailable: Server is temporarily unavailable',
}

export interface Retry {
  /** The number of retries after the first failure. */
  retries: number
  /** The delay before the first retry; each further one doubles it. */
  baseDelayMs: number
  /** Resolves after the given ms; `setTimeout` when absent. */
  wait?: ((ms: number) => Promise<void>) | undefined
}

/** Failures that a retry does not change: authentication, permission, not found. */
const finalStatuses = [401, 403, 404]

/**
 * Retries a failed call: three times, after 1, 2 and 4 s by default.
 * @throws the last attempt's error; immediately on 401, 403, 404, and for input never sent
 */
export async function retryCall<Answer>(
  call: () => Promise<Answer>,
  { retries, baseDelayMs, wait = waitFor }: Retry = limits.retryHelper,
): Promise<Answer> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await call()
    } catch (cause) {
      if (failures >= retries || isFinal(cause)) throw cause
      await wait(baseDelayMs * 2 ** failures)
    }
  }
}

function isFinal(cause: unknown): boolean {
  if (!(cause instanceof ApiError)) return false
  return finalStatuses.includes(cause.status) || cause.code === 'input'
}

function waitFor(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}

/**
 * Any failure in words for a person who wants to know its kind, and its status.
 * Source: decision 61, section 8.
 */
export function describeFailure(cause: unknown): { words: string; status: number } {
  if (!(cause instanceof ApiError)) return { words: 'An unexpected error occurred', status: 0 }
  const { status, message } = cause
  return { words: wholeTexts[status] ?? `${prefixes[status] ?? ''}${message}`, status }
}

/**
 * The answer, if it comes within the given ms (10 s when absent).
 * @throws ApiError 408 'Request timeout' otherwise; ignores the work's later result
 */
export async function limitTime<Answer>(
  work: Promise<Answer>,
  ms: number = limits.retryHelper.timeoutMs,
): Promise<Answer> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new ApiError({ status: 408, code: 'timeout', words: 'Request timeout' }))
    }, ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
