import { limits } from '../../schema/limits.ts'
import { ApiError } from './api-error.ts'

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
