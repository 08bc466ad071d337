export type EmulatorClock = ReturnType<typeof createEmulatorClock>

type Work = () => void | Promise<void>

interface Due {
  at: number
  work: Work
}

const longestTimerMs = 2 ** 31 - 1

/**
 * The emulator's time. A manual clock only moves by `advance`; a running one follows this
 * machine's, from `startAt` on. Work due at one moment runs in parallel; later moments wait for it.
 * @param startAt epoch ms
 * @param onError called with what work throws
 */
export function createEmulatorClock(options: {
  isManual: boolean
  startAt: number
  onError: (error: unknown) => void
}) {
  const { isManual, startAt, onError } = options
  const time = { set: startAt, since: performance.now() }
  const due: Due[] = []
  const underWay = new Set<Promise<void>>()
  const timers: { next?: NodeJS.Timeout | undefined } = {}

  const now = () => (isManual ? time.set : Math.floor(time.set + (performance.now() - time.since)))

  function setTo(at: number) {
    time.set = at
    time.since = performance.now()
  }

  async function runOne({ work }: Due) {
    try {
      await work()
    } catch (error) {
      onError(error)
    }
  }

  function start(entry: Due): Promise<void> {
    const running = runOne(entry).finally(() => underWay.delete(running))
    underWay.add(running)
    return running
  }

  /** Takes the next due work, all of one moment. */
  function takeNext(until: number): Due[] {
    const first = due.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY)
    if (first > until) return []
    const taken = due.filter(({ at }) => at === first)
    for (const entry of taken) due.splice(due.indexOf(entry), 1)
    return taken
  }

  function setTimer() {
    if (isManual) return
    clearTimeout(timers.next)
    const first = due.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY)
    if (first === Number.POSITIVE_INFINITY) return
    const wait = Math.min(Math.max(0, first - now()), longestTimerMs)
    timers.next = setTimeout(runDue, wait).unref()
  }

  function runDue() {
    for (;;) {
      const taken = takeNext(now())
      if (taken.length === 0) break
      for (const entry of taken) start(entry).catch(onError)
    }
    setTimer()
  }

  return {
    /** Epoch ms. */
    now,

    /** Runs `work` at that moment; if it has passed, at the next `advance`. */
    at(moment: number, work: Work) {
      due.push({ at: Math.max(moment, now()), work })
      setTimer()
    },

    /** Advances through every moment with due work; ends when all of it has ended. */
    async advance(ms: number) {
      const target = now() + ms
      for (let taken = takeNext(target); taken.length > 0; taken = takeNext(target)) {
        const at = taken[0]?.at ?? target
        if (at > now()) setTo(at)
        await Promise.all(taken.map(start))
      }
      if (target > now()) setTo(target)
      setTimer()
    },

    /** Resolves when all started work has ended. */
    async settle() {
      while (underWay.size > 0) await Promise.all(underWay)
    },

    /** Cancels all due work. */
    clear() {
      due.length = 0
      clearTimeout(timers.next)
    },
  }
}
