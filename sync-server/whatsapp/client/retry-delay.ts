import type { ProviderError } from './provider-error.ts'

const base = 4
const jitter = 0.2

/**
 * The wait before retrying a refused send: 1, 4, 16, 64, 256 s, each ±20 %.
 * @param attempt how often it was tried before this refusal
 * @returns ms, or null to give up
 */
export function nextRetryMs({
  error,
  attempt,
  random = Math.random,
}: {
  error: Pick<ProviderError, 'retriesMax' | 'afterMs'>
  attempt: number
  random?: () => number
}): number | null {
  if (attempt >= error.retriesMax) return null
  const wait = 1_000 * base ** attempt * (1 - jitter + 2 * jitter * random())
  return Math.round(Math.max(wait, error.afterMs))
}
