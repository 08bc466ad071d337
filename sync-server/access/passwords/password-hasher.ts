import { availableParallelism } from 'node:os'
import { createPasswordThreads, type PasswordTask } from './password-threads.ts'
import { createTurnQueue } from './turn-queue.ts'

/** Thrown when too many passwords wait already; the caller answers "busy". */
export class HasherBusy extends Error {
  override name = 'HasherBusy'
}

/** Thrown when the caller has gone, so that no work was done. */
export class CallerGone extends Error {
  override name = 'CallerGone'
}

/**
 * Who asks to hash or check a password: `address` is their network, `gone` aborts when they hang
 * up.
 */
export interface PasswordCaller {
  address: string
  gone?: AbortSignal
}

const defaultCost = 10
const threadsMax = 4
const waitingMax = 1_000
const waitingPerAddressMax = 100

type Result = string | boolean
type Waiting = ReturnType<typeof createWaiting>

/**
 * Hashes and checks passwords with bcrypt on threads, leaving one core to the messages. Queues by
 * address, so that a flood delays itself; drops callers who have gone. The schema bounds passwords
 * to 72 bytes, because bcrypt would cut the rest.
 * @param options.cost bcrypt's
 * @param options.threads the maximum
 * @throws HasherBusy when 100 of one address wait already, or 1,000 in all
 * @throws CallerGone
 */
export function createPasswordHasher(options: { cost?: number; threads?: number } = {}) {
  const { cost = defaultCost } = options
  const threads = options.threads ?? Math.min(threadsMax, Math.max(1, availableParallelism() - 1))
  /** A dummy hash: checking against it only takes the usual time. */
  const nobodysHash = `$2b$${String(cost).padStart(2, '0')}$${'x'.repeat(53)}`
  const queue = createTurnQueue<Waiting>({ keyMax: waitingPerAddressMax, max: waitingMax })
  const pool = createPasswordThreads({ threads, onFree: runNext })

  function runNext() {
    while (pool.isFree()) {
      const next = queue.take()
      if (!next) return
      next.resolve(pool.run(next.task))
    }
  }

  async function run(task: PasswordTask, { address, gone }: PasswordCaller): Promise<Result> {
    const waiting = createWaiting(task)
    const leave = () => {
      if (queue.remove(address, waiting)) waiting.reject(new CallerGone('Nobody waits any more.'))
    }
    if (gone?.aborted) throw new CallerGone('Nobody waited from the beginning.')
    gone?.addEventListener('abort', leave)
    try {
      queue.add(address, waiting)?.reject(new HasherBusy('Too many passwords wait.'))
      runNext()
      return await waiting.result
    } finally {
      gone?.removeEventListener('abort', leave)
    }
  }

  return {
    async hash(password: string, caller: PasswordCaller): Promise<string> {
      return String(await run({ password, cost }, caller))
    },
    /**
     * Does the password match the hash? Without a hash (no such name) it takes as long and is
     * always false, so that timing does not reveal who has an account.
     */
    async verify(asked: { password: string; hash: string | undefined }, caller: PasswordCaller) {
      const { password, hash } = asked
      const isRight = await run({ password, hash: hash ?? nobodysHash }, caller)
      return isRight === true && hash !== undefined
    },
    waiting: queue.count,
    async close() {
      for (let next = queue.take(); next; next = queue.take()) {
        next.reject(new Error('The password hasher is closed.'))
      }
      await pool.close()
    },
  }
}

function createWaiting(task: PasswordTask) {
  const settle = {} as {
    resolve(result: Promise<Result>): void
    reject(error: Error): void
  }
  const result = new Promise<Result>((resolve, reject) =>
    Object.assign(settle, { resolve, reject }),
  )
  return { task, result, resolve: settle.resolve, reject: settle.reject }
}

export type PasswordHasher = ReturnType<typeof createPasswordHasher>
