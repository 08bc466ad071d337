import { createDeferred } from '../../../schema/helpers/deferred.ts'

export interface BackOff {
  /** Resolves when the next attempt may be made, with what identifies it. Rejects when `signal` aborts. */
  begin(signal: AbortSignal): Promise<object>
  /**
   * This attempt failed. Of several that fail side by side, one counts.
   * @param how.atLeastMs what the server has asked for: no sign of life makes it shorter
   * @param how.isAway nobody was there, so whatever the server answers ends the waiting
   */
  fail(attempt: object, how?: { atLeastMs?: number; isAway?: boolean }): void
  /** The server has answered somebody else. */
  recordAnswer(): void
  /** What failed is given up: the next failure is the first one of something else. */
  forget(): void
  succeed(): void
  /** The network or the server gave a sign of life: try now. */
  hurry(): void
  close(): void
  /** For somebody who waits with all others, and whose own failures nobody else's success makes forgotten. */
  share(): BackOff
}

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
}): BackOff {
  const { random, firstMs = 1_000, longestMs = 30_000, evenAttempts = 0 } = options
  /** Between two answers nobody was there so often, whoever asked. */
  let absences = 0
  let isAway = false
  let gate = openGate()
  let closedBy: BackOff | undefined

  function createShare(): BackOff {
    let failures = 0
    const share: BackOff = {
      async begin(signal) {
        while (!gate.isOpen) await orAborted(gate.opened, signal)
        signal.throwIfAborted()
        return gate
      },
      fail(attempt, how = {}) {
        if (attempt !== gate) return
        const { atLeastMs = 0 } = how
        isAway = how.isAway ?? false
        failures += 1
        if (isAway) absences += 1
        const doublings = Math.max(failures, isAway ? absences : 0) - 1 - evenAttempts
        const longest = Math.min(firstMs * 2 ** doublings, longestMs)
        const wait = doublings < 0 ? firstMs : longest * (0.5 + random() / 2)
        gate = closedGate(Math.max(atLeastMs, wait), atLeastMs)
        closedBy = share
      },
      recordAnswer() {
        if (isAway) gate.hurry()
      },
      forget() {
        failures = 0
      },
      succeed() {
        failures = 0
        absences = 0
        if (isAway || closedBy === share) gate.hurry()
      },
      hurry: () => gate.hurry(),
      close: () => gate.open(),
      share: createShare,
    }
    return share
  }

  return createShare()
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
