import { createDeferred } from '../../../schema/helpers/deferred.ts'

export interface BackOff {
  /**
   * Resolves with the attempt's id when the next attempt may start. Rejects when `signal` aborts.
   */
  begin(signal: AbortSignal): Promise<object>
  /**
   * This attempt failed. Of several parallel failures, one counts.
   * @param how.atLeastMs the delay the server asked for: no sign of life shortens it
   * @param how.isAway the server was unreachable, so any answer from it ends the delay
   */
  fail(attempt: object, how?: { atLeastMs?: number; isAway?: boolean }): void
  /** The server answered someone else. */
  recordAnswer(): void
  /** The failed work is given up: the next failure counts as the first. */
  forget(): void
  succeed(): void
  /** How long the next attempt still waits, in ms; undefined while it may start. */
  remainingMs(): number | undefined
  /** The network or the server gave a sign of life: try now. */
  hurry(): void
  close(): void
  /**
   * For a client that shares the delay, but whose own failures another client's success does not
   * reset.
   */
  share(): BackOff
}

/**
 * Grows the delay after each failure, with jitter so that devices do not return together, and ends
 * it immediately on a sign of life.
 */
export function createBackOff(options: {
  random: () => number
  firstMs?: number
  longestMs?: number
  /** This many failures in a row wait exactly `firstMs`, before the delay grows. */
  evenAttempts?: number
}): BackOff {
  const { random, firstMs = 1_000, longestMs = 30_000, evenAttempts = 0 } = options
  /** How often in a row the server was unreachable, counted over all clients. */
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
      remainingMs: () => gate.remainingMs(),
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
  remainingMs(): number | undefined
  /** Opens it as soon as allowed. */
  hurry(): void
  open(): void
}

function openGate(): Gate {
  const opened = Promise.resolve()
  return { isOpen: true, opened, remainingMs: () => undefined, hurry: () => {}, open: () => {} }
}

function closedGate(ms: number, atLeastMs: number): Gate {
  const { promise, resolve } = createDeferred()
  const state = { mayOpen: atLeastMs <= 0, isHurried: false }
  const dueAt = performance.now() + ms
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
    remainingMs: () => (gate.isOpen ? undefined : Math.max(0, dueAt - performance.now())),
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

/** Resolves after the given time, or rejects as soon as the signal aborts. */
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
