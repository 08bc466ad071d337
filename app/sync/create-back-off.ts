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
  let gate = openGate()

  function hurry() {
    gate.open()
  }

  return {
    /** Resolves when the next attempt may be made, with what identifies it. Rejects when `signal` aborts. */
    async begin(signal: AbortSignal): Promise<object> {
      while (!gate.isOpen) await orAborted(gate.opened, signal)
      signal.throwIfAborted()
      return gate
    },
    /** This attempt failed. Of several that fail side by side, one counts. */
    fail(attempt: object, atLeastMs = 0) {
      if (attempt !== gate) return
      failures += 1
      const doublings = failures - 1 - evenAttempts
      const longest = Math.min(firstMs * 2 ** doublings, longestMs)
      const wait = doublings < 0 ? firstMs : longest * (0.5 + random() / 2)
      gate = closedGate(Math.max(atLeastMs, wait))
    },
    succeed() {
      failures = 0
      hurry()
    },
    /** The network or the server gave a sign of life: try now. */
    hurry,
    close: hurry,
  }
}

interface Gate {
  isOpen: boolean
  opened: Promise<void>
  open(): void
}

function openGate(): Gate {
  return { isOpen: true, opened: Promise.resolve(), open: () => {} }
}

function closedGate(ms: number): Gate {
  const { promise, resolve } = createDeferred()
  const timer = setTimeout(() => gate.open(), ms)
  const gate: Gate = {
    isOpen: false,
    opened: promise,
    open() {
      clearTimeout(timer)
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
