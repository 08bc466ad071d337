import { LRUCache } from 'lru-cache'
import { atMost } from '../../lib/at-most.ts'

/** What time is, and how one waits for it. */
export interface Waiting {
  /** ms of a clock that only goes forward. */
  now(): number
  sleep(ms: number): Promise<void>
}

export const realWaiting: Waiting = {
  now: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}

/** Meta's own limit for one number and one person: so many at once, and then one in six seconds. */
const pairCapacity = 45
const pairRefillMs = 6_000
const contactsRemembered = 50_000
const waitingMaxPerContact = 100

interface Bucket {
  used: number
  at: number
  /** Nothing leaves before: the provider said so. */
  heldUntil: number
}

export type SendLimiter = ReturnType<typeof createSendLimiter>

/**
 * Lets sends out as fast as the provider takes them: so many a second for each number, so many for each person, and to
 * one person one after the other, in the order in which they came.
 * @param messagesPerSecond of one business number
 */
export function createSendLimiter(options: { messagesPerSecond: number; waiting?: Waiting }) {
  const { messagesPerSecond, waiting = realWaiting } = options
  const numbers = new Map<string, Bucket>()
  const pairs = new LRUCache<string, Bucket>(atMost(contactsRemembered))
  /** The end of each person's queue, and how many are in it. */
  const queues = new Map<string, { last: Promise<void>; length: number }>()

  const open = (): Bucket => ({ used: 0, at: waiting.now(), heldUntil: 0 })
  const numberOf = (numberId: string) => {
    const bucket = numbers.get(numberId) ?? open()
    numbers.set(numberId, bucket)
    return bucket
  }
  const pairOf = (key: string) => {
    const bucket = pairs.get(key) ?? open()
    pairs.set(key, bucket)
    return bucket
  }

  function waitOf(bucket: Bucket, { capacity, refillMs }: { capacity: number; refillMs: number }) {
    const now = waiting.now()
    bucket.used = Math.max(0, bucket.used - (now - bucket.at) / refillMs)
    bucket.at = now
    const untilFree = Math.max(0, (bucket.used + 1 - capacity) * refillMs)
    return Math.max(untilFree, bucket.heldUntil - now)
  }

  const perNumber = { capacity: messagesPerSecond, refillMs: 1_000 / messagesPerSecond }
  const perPair = { capacity: pairCapacity, refillMs: pairRefillMs }

  /** Waits for both budgets and takes one of each. @returns how long it would take, when that is too long */
  async function takeBoth(number: Bucket, pair: Bucket, untilMs: number): Promise<number> {
    for (;;) {
      const wait = Math.max(waitOf(number, perNumber), waitOf(pair, perPair))
      if (wait <= 0) {
        number.used += 1
        pair.used += 1
        return 0
      }
      if (waiting.now() + wait > untilMs) return Math.ceil(wait)
      await waiting.sleep(wait)
    }
  }

  return {
    /**
     * Runs one send when its turn has come.
     * @param contact whom it goes to, whatever the name
     * @param waitMaxMs how long it may wait for its turn
     * @returns what `work` gives, or in how many ms it is worth coming back
     */
    async run<Result>(
      asked: { numberId: string; contact: string; waitMaxMs: number },
      work: () => Promise<Result>,
    ): Promise<{ result: Result } | { afterMs: number }> {
      const { numberId, contact, waitMaxMs } = asked
      const key = `${numberId}|${contact}`
      const queue = queues.get(key) ?? { last: Promise.resolve(), length: 0 }
      if (queue.length >= waitingMaxPerContact) return { afterMs: pairRefillMs }
      const untilMs = waiting.now() + waitMaxMs
      const turn = queue.last.then(async () => {
        const afterMs = await takeBoth(numberOf(numberId), pairOf(key), untilMs)
        return afterMs > 0 ? { afterMs } : { result: await work() }
      })
      queue.length += 1
      queue.last = turn.then(
        () => undefined,
        () => undefined,
      )
      queues.set(key, queue)
      try {
        return await turn
      } finally {
        queue.length -= 1
        if (queue.length === 0) queues.delete(key)
      }
    },

    /** The provider wants a pause: for one person, or without one for the whole number. */
    hold({ numberId, contact, ms }: { numberId: string; contact?: string; ms: number }) {
      const bucket = contact === undefined ? numberOf(numberId) : pairOf(`${numberId}|${contact}`)
      bucket.heldUntil = Math.max(bucket.heldUntil, waiting.now() + ms)
    },

    /** For the metrics: sends that wait or are under way. */
    countWaiting: () => [...queues.values()].reduce((sum, { length }) => sum + length, 0),
  }
}
