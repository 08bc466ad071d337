import { availableParallelism } from 'node:os'
import { createPasswordThreads, type PasswordTask } from './password-threads.ts'
import { createTurnQueue } from './turn-queue.ts'

/** Says that too many passwords wait already; the caller answers "busy" instead of growing the queue. */
export class HasherBusy extends Error {
  override name = 'HasherBusy'
}

/** Says that nobody waits for the answer any more, so that no work was done for it. */
export class CallerGone extends Error {
  override name = 'CallerGone'
}

/** For whom a password is hashed or checked. `address` stands for the caller's network; `gone` for hanging up. */
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
 * Hashes and checks passwords with bcrypt on threads that leave one core to the messages. Who waits gets their turn by
 * their address, so that one that floods delays itself; who has gone does not wait any more.
 * Passwords are at most 72 bytes: the schema checks it, bcrypt would cut the rest.
 * @param options.cost bcrypt's
 * @param options.threads how many at most
 * @throws HasherBusy when 100 of one address wait already, or 1,000 in all
 * @throws CallerGone
 */
export function createPasswordHasher(options: { cost?: number; threads?: number } = {}) {
  const { cost = defaultCost } = options
  const threads = options.threads ?? Math.min(threadsMax, Math.max(1, availableParallelism() - 1))
  /** Nobody's: no password is looked for in it, checking one only takes its time. */
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
     * Is this the password of the hash? Without a hash (nobody has that name) it takes as long and is never
     * right, so that the time of an answer does not tell who has an account.
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
