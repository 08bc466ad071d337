import { createDeferred } from '../../schema/create-deferred.ts'

export type BackOff = ReturnType<typeof createBackOff>

/**
 * Waits longer after each failure, with jitter so that a crowd of devices does not return at one instant,
 * and not a moment longer once there is a sign of life.
 */
export function createBackOff(options: {
  random: () => number
  firstMs?: number
  longestMs?: number
  /** So many failures in a row wait `firstMs` exactly, before the waiting grows. */
  evenAttempts?: number
}) {
  const { random, firstMs = 1_000, longestMs = 30_000, evenAttempts = 0 } = options
  let failures = 0
  let isAway = false
  let gate = openGate()

  function hurry() {
    gate.hurry()
  }

  return {
    /** Resolves when the next attempt may be made, with what identifies it. Rejects when `signal` aborts. */
    async begin(signal: AbortSignal): Promise<object> {
      while (!gate.isOpen) await orAborted(gate.opened, signal)
      signal.throwIfAborted()
      return gate
    },
    /**
     * This attempt failed. Of several that fail side by side, one counts.
     * @param how.atLeastMs what the server has asked for: no sign of life makes it shorter
     * @param how.isAway nobody was there, so whatever the server answers ends the waiting
     */
    fail(attempt: object, how: { atLeastMs?: number; isAway?: boolean } = {}) {
      if (attempt !== gate) return
      const { atLeastMs = 0 } = how
      isAway = how.isAway ?? false
      failures += 1
      const doublings = failures - 1 - evenAttempts
      const longest = Math.min(firstMs * 2 ** doublings, longestMs)
      const wait = doublings < 0 ? firstMs : longest * (0.5 + random() / 2)
      gate = closedGate(Math.max(atLeastMs, wait), atLeastMs)
    },
    /** The server has answered somebody else. */
    hear() {
      if (isAway) hurry()
    },
    succeed() {
      failures = 0
      hurry()
    },
    /** The network or the server gave a sign of life: try now. */
    hurry,
    close: () => gate.open(),
  }
}

interface Gate {
  isOpen: boolean
  opened: Promise<void>
  /** Opens it as soon as it may be. */
  hurry(): void
  open(): void
}

function openGate(): Gate {
  return { isOpen: true, opened: Promise.resolve(), hurry: () => {}, open: () => {} }
}

function closedGate(ms: number, atLeastMs: number): Gate {
  const { promise, resolve } = createDeferred()
  const state = { mayOpen: atLeastMs <= 0, isHurried: false }
  const timers = [
    setTimeout(() => gate.open(), ms),
    setTimeout(() => {
      state.mayOpen = true
      if (state.isHurried) gate.open()
    }, atLeastMs),
  ]
  const gate: Gate = {
    isOpen: false,
    opened: promise,
    hurry() {
      state.isHurried = true
      if (state.mayOpen) gate.open()
    },
    open() {
      for (const timer of timers) clearTimeout(timer)
      gate.isOpen = true
      resolve()
    },
  }
  return gate
}

/** Resolves after so long, or rejects as soon as the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return orAborted(new Promise((resolve) => setTimeout(resolve, ms)), signal)
}

/** Settles as the promise does, or rejects as soon as the signal aborts. */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = createDeferred<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
