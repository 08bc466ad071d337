import { refuseOver } from './pace.ts'

/** Runs one step of a job in its turn. @throws the signal's reason once its caller is gone */
export type Turn = <Result>(step: () => Promise<Result>) => Promise<Result>

export interface Asking {
  /** The owner of the work. */
  key: string
  /**
   * Aborts when nobody waits for the result: the job leaves the queue, or ends after its current
   * step.
   */
  signal?: AbortSignal | undefined
}

export type FairQueue = ReturnType<typeof createFairQueue>

/** A shorter step needs no rest. */
const shortestRestMs = 1
const longestRestMs = 50

interface Job extends Asking {
  /** The step waiting for its turn. */
  start: (() => void) | undefined
}

/**
 * Runs heavy work in steps, a few at once, one step of each key in turn; within a key the oldest
 * job goes first. No key takes all slots. After a step its key rests as long as the step took while
 * others are active, because their requests are many small pieces that would each wait.
 * @param atOnce steps that run in parallel
 * @param atOncePerKey the same for one key
 * @param jobsMaxPerKey jobs of one key that run or wait
 * @param isAlone is nobody else active? Without it, no key rests
 * @param now ms of a monotonic clock; `later` calls back after the given ms
 */
export function createFairQueue(options: {
  atOnce: number
  atOncePerKey: number
  jobsMaxPerKey: number
  isAlone?: (key: string) => boolean
  now?: () => number
  later?: (callback: () => void, ms: number) => void
}) {
  const { atOnce, atOncePerKey, jobsMaxPerKey } = options
  const { isAlone = () => true, now = () => performance.now(), later = setTimeout } = options
  /** Jobs by key, oldest first. A key goes to the end when its turn begins, and when it ends. */
  const jobs = new Map<string, Set<Job>>()
  const runningOf = new Map<string, number>()
  const resting = new Set<string>()
  const counted = { running: 0, refused: 0 }

  function enter(job: Job) {
    const own = jobs.get(job.key) ?? new Set()
    if (own.size >= jobsMaxPerKey) {
      counted.refused += 1
      throw refuseOver('key')
    }
    jobs.set(job.key, own.add(job))
  }

  function leave(job: Job) {
    const own = jobs.get(job.key)
    own?.delete(job)
    if (own?.size === 0) jobs.delete(job.key)
  }

  function goToEnd(key: string) {
    const own = jobs.get(key)
    jobs.delete(key)
    if (own) jobs.set(key, own)
  }

  function count(key: string, change: 1 | -1) {
    counted.running += change
    const running = (runningOf.get(key) ?? 0) + change
    if (running > 0) runningOf.set(key, running)
    else runningOf.delete(key)
  }

  function rest(key: string, ms: number) {
    if (ms < shortestRestMs || resting.has(key)) return
    resting.add(key)
    const end = () => {
      resting.delete(key)
      startNext()
    }
    later(end, Math.min(ms, longestRestMs))
  }

  function startNext() {
    for (const [key, own] of jobs) {
      if (counted.running >= atOnce) return
      if ((runningOf.get(key) ?? 0) >= atOncePerKey || resting.has(key)) continue
      const next = [...own].find(({ start }) => start)
      if (!next?.start) continue
      goToEnd(key)
      const { start } = next
      next.start = undefined
      count(key, 1)
      start()
      return startNext()
    }
  }

  function waitForTurn(job: Job): Promise<void> {
    const { signal } = job
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        job.start = undefined
        reject(signal?.reason)
      }
      job.start = () => {
        signal?.removeEventListener('abort', giveUp)
        resolve()
      }
      signal?.addEventListener('abort', giveUp, { once: true })
      startNext()
    })
  }

  async function takeTurn<Result>(job: Job, step: () => Promise<Result>): Promise<Result> {
    job.signal?.throwIfAborted()
    await waitForTurn(job)
    const begunAt = now()
    try {
      return await step()
    } finally {
      count(job.key, -1)
      goToEnd(job.key)
      if (!isAlone(job.key)) rest(job.key, now() - begunAt)
      // Deferred, so that the continuing job, which is older, goes first.
      setImmediate(startNext)
    }
  }

  /**
   * Runs a job, which passes each of its heavy steps through `turn` in sequence.
   * @throws RequestRefused `too_many_at_once` at once, when its key has too many; the signal's
   * reason
   */
  async function run<Result>(
    asking: Asking,
    work: (turn: Turn) => Promise<Result>,
  ): Promise<Result> {
    const job: Job = { ...asking, start: undefined }
    job.signal?.throwIfAborted()
    enter(job)
    try {
      return await work((step) => takeTurn(job, step))
    } finally {
      leave(job)
    }
  }

  return {
    run,

    /** Runs single-step work. */
    once: <Result>(asking: Asking, step: () => Promise<Result>): Promise<Result> =>
      run(asking, (turn) => turn(step)),

    /** Iterates pages, reading each in its own turn. */
    async *walk<Page>(asking: Asking, pages: AsyncGenerator<Page>): AsyncGenerator<Page> {
      const job: Job = { ...asking, start: undefined }
      job.signal?.throwIfAborted()
      enter(job)
      try {
        for (;;) {
          const { value, done } = await takeTurn(job, () => pages.next())
          if (done) return
          yield value
        }
      } finally {
        leave(job)
        await pages.return(undefined)
      }
    },

    /** `refused` counts since the start. */
    stats() {
      const all = [...jobs.values()].flatMap((own) => [...own])
      return {
        ...counted,
        jobs: all.length,
        waiting: all.filter(({ start }) => start !== undefined).length,
      }
    },
  }
}
