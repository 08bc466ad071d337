import { limits } from '../../schema/limits.ts'
import { ApiError } from './api-error.ts'

export interface Retry {
  /** How often it is tried again after the first failure. */
  retries: number
  /** Before the first repetition; each further one waits twice as long. */
  baseDelayMs: number
  /** Resolves after so many ms; `setTimeout` when absent. */
  wait?: ((ms: number) => Promise<void>) | undefined
}

/** What asking again does not change: who asks, what they may, and what is not there. */
const finalStatuses = [401, 403, 404]

/**
 * Calls again what failed: three times, after 1, 2 and 4 s, unless told otherwise.
 * @throws what the last try threw; at once on 401, 403, 404, and for input that is never sent
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
