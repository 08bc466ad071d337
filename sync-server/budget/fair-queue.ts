import { refuseOver } from './refuse-over.ts'

/** Runs one step of a job when its turn has come. @throws the signal's reason once its caller is gone */
export type Turn = <Result>(step: () => Promise<Result>) => Promise<Result>

export interface Asking {
  /** Whose work it is. */
  key: string
  /** Aborts when nobody waits for the result any more: the job leaves the queue, or ends after the step it is at. */
  signal?: AbortSignal | undefined
}

export type FairQueue = ReturnType<typeof createFairQueue>

/** A step that is over sooner keeps nobody waiting. */
const shortestRestMs = 1
const longestRestMs = 50

interface Job extends Asking {
  /** The step that waits for its turn. */
  start: (() => void) | undefined
}

/**
 * Runs heavy work in steps, a few at once: one step of each key in turn, so that whoever asks for much waits for
 * themselves; within a key the oldest job goes first. No key takes all the room there is: whoever comes then would wait
 * for steps that have begun. After a step its key rests for as long as that took, while others ask for something: what
 * they wait for is of many small pieces, each of which would else wait for the next step.
 * @param atOnce steps that run side by side
 * @param atOncePerKey those of one key among them
 * @param jobsMaxPerKey jobs of one key that run or wait
 * @param isAlone does nobody else ask for anything? Without it, nobody rests
 * @param now ms of any clock that only goes forward, and `later` calls back after so many of them
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
      // Not at once: the job that goes on is older than those behind it.
      setImmediate(startNext)
    }
  }

  /**
   * Runs a job, which passes each of its heavy steps through `turn`, one after the other.
   * @throws RequestRefused `too_many_at_once` at once, when its key has too many; the signal's reason
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

    /** Runs work that is one step. */
    once: <Result>(asking: Asking, step: () => Promise<Result>): Promise<Result> =>
      run(asking, (turn) => turn(step)),

    /** Walks through pages, each of which is read in a turn of its own. */
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
