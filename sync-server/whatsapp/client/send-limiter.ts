import { LRUCache } from 'lru-cache'
import { atMost } from '../../lib/at-most.ts'

/** A clock and a way to wait. */
export interface Waiting {
  /** ms of a monotonic clock. */
  now(): number
  sleep(ms: number): Promise<void>
}

export const realWaiting: Waiting = {
  now: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}

/** Meta's own limit for one number and one person: this burst, then one in six seconds. */
const pairCapacity = 45
const pairRefillMs = 6_000
const contactsRemembered = 50_000
const waitingMaxPerContact = 100

interface Bucket {
  used: number
  at: number
  /** Sends nothing before: the provider asked for a pause. */
  heldUntil: number
}

export type SendLimiter = ReturnType<typeof createSendLimiter>

/**
 * Paces sends to the provider's limits: a rate for each number, a rate for each person, and sends
 * to one person one after the other, in order.
 * @param messagesPerSecond of one business number
 */
export function createSendLimiter(options: { messagesPerSecond: number; waiting?: Waiting }) {
  const { messagesPerSecond, waiting = realWaiting } = options
  const numbers = new Map<string, Bucket>()
  const pairs = new LRUCache<string, Bucket>(atMost(contactsRemembered))
  /** The end of each person's queue, and its length. */
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

  /** Waits for both budgets and takes one of each. @returns the wait if it is too long */
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
     * Runs one send in its turn.
     * @param contact the recipient, under any stable name
     * @param waitMaxMs the longest wait for its turn
     * @returns the result of `work`, or in how many ms to retry
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

    /** For the metrics: sends that wait or run. */
    countWaiting: () => [...queues.values()].reduce((sum, { length }) => sum + length, 0),
  }
}
