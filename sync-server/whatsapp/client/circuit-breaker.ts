import type { ProviderError } from './provider-error.ts'

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>

const openForMs = 5 * 60_000

/**
 * Stops all sends for five minutes once the token or the account proves unusable: each would fail
 * the same way. Then lets one through as a probe.
 * @param now ms of a monotonic clock
 * @param onOpen called each time it opens
 */
export function createCircuitBreaker(options: {
  now: () => number
  onOpen: (error: ProviderError) => void
}) {
  const { now, onOpen } = options
  const held: { error: ProviderError | null; until: number } = { error: null, until: 0 }

  return {
    /** @returns why nothing may be sent now, or null */
    check(): ProviderError | null {
      if (!held.error || now() < held.until) return held.error
      // This send is the probe; the others wait as long again unless it succeeds.
      held.until = now() + openForMs
      return null
    },

    /** Records the error of a provider's answer: null for success. */
    record(error: ProviderError | null) {
      if (!error?.opensBreaker) {
        held.error = null
        return
      }
      const wasOpen = held.error !== null
      held.error = error
      held.until = now() + openForMs
      if (!wasOpen) onOpen(error)
    },

    isOpen: () => held.error !== null,
  }
}
