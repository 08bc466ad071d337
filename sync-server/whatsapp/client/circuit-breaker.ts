import type { ProviderError } from './provider-error.ts'

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>

const openForMs = 5 * 60_000

/**
 * Stops all sends for five minutes once the token or the account turned out unusable: each would fail the same way.
 * Then one goes through to see.
 * @param now ms of a clock that only goes forward
 * @param onOpen is told once for each time it opens
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
      // This one goes to see; whatever becomes of it, the others wait as long again unless it says otherwise.
      held.until = now() + openForMs
      return null
    },

    /** What an answer of the provider's own said: null for success. */
    note(error: ProviderError | null) {
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
