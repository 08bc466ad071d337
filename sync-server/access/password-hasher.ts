import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { passwordCost, passwordPurposes } from '../../schema/encryption/password-derivation.ts'
import { isSecretOf, readStoredPassword, writeStoredPassword } from './stored-password.ts'

const idleEndMs = 30_000

/**
 * A thread's code as text: it must start from the sources, the built file and tests alike. On Linux
 * each thread has a priority: on a full machine, reading messages goes before hashing.
 */
const workerSource = `
const { hkdfSync, scryptSync } = require('node:crypto')
const { setPriority } = require('node:os')
const { parentPort, workerData } = require('node:worker_threads')
const bcrypt = require(workerData.bcryptPath)
const { r, p, purpose } = workerData
try {
  if (process.platform === 'linux') setPriority(10)
} catch {}
parentPort.on('message', ({ password, salt, logN, bcrypt: hash }) => {
  const N = 2 ** logN
  const maxmem = 256 * N * r
  const root = scryptSync(password, Buffer.from(salt, 'base64url'), 32, { N, r, p, maxmem })
  const secret = Buffer.from(hkdfSync('sha256', root, '', purpose, 32)).toString('base64url')
  const isEarlierRight = hash !== undefined && bcrypt.compareSync(password, hash)
  parentPort.postMessage({ secret, isEarlierRight })
})
`

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

const threadsMax = 4
const waitingMax = 1_000
const waitingPerAddressMax = 100

type Result = PasswordTaskResult
type Waiting = ReturnType<typeof createWaiting>

/** Takes as long as anybody's: nobody's password is right. */
const nobodysSalt = 'x'.repeat(21).concat('A')
const nobodysBcrypt = `$2b$10$${'x'.repeat(53)}`

/**
 * Derives what is stored of a password, and checks passwords against it, on threads, leaving one
 * core to the messages. Queues by address, so that a flood delays itself; drops callers who have
 * gone. The schema bounds passwords to 72 bytes, because bcrypt would cut the rest.
 * @param options.cost scrypt's, as a power of two
 * @param options.threads the maximum
 * @throws HasherBusy when 100 of one address wait already, or 1,000 in all
 * @throws CallerGone
 */
export function createPasswordHasher(options: { cost?: number; threads?: number } = {}) {
  const { cost = passwordCost.logN } = options
  const threads = options.threads ?? Math.min(threadsMax, Math.max(1, availableParallelism() - 1))
  const queue = createTurnQueue<Waiting>({ keyMax: waitingPerAddressMax, max: waitingMax })
  const worked = { scrypt: 0, bcrypt: 0 }
  const pool = createPasswordThreads({ threads, onFree: runNext })

  function runNext() {
    while (pool.isFree()) {
      const next = queue.take()
      if (!next) return
      worked.scrypt += 1
      worked.bcrypt += next.task.bcrypt === undefined ? 0 : 1
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
    /** scrypt's cost of new passwords, as a power of two. */
    logN: cost,

    /** @param asked.salt in base64url */
    async hash(asked: { password: string; salt: string }, caller: PasswordCaller): Promise<string> {
      const { secret } = await run({ ...asked, logN: cost }, caller)
      return writeStoredPassword({ salt: asked.salt, logN: cost, secret })
    },

    /**
     * Is it the password of what is stored? Without that (no such name) it takes as long and is
     * never right, so that timing does not reveal who has an account.
     * @param asked.salt what an account from before scrypt gets
     * @param asked.isEarlierLeft there still are such accounts, so that each check takes as long
     *   as theirs
     * @returns `renewed`: what to store of such an account from now on
     */
    async verify(
      asked: {
        password: string
        hash: string | undefined
        salt?: string
        isEarlierLeft?: boolean
      },
      caller: PasswordCaller,
    ): Promise<{ isRight: boolean; renewed?: string }> {
      const { password, hash, salt = nobodysSalt, isEarlierLeft = false } = asked
      const stored = hash === undefined ? undefined : readStoredPassword(hash)
      const isNew = stored?.kind === 'secret'
      const used = isNew ? { salt: stored.salt, logN: stored.logN } : { salt, logN: cost }
      const bcrypt =
        stored?.kind === 'earlier' ? stored.bcrypt : isEarlierLeft ? nobodysBcrypt : undefined
      const { secret, isEarlierRight } = await run({ password, ...used, bcrypt }, caller)
      if (stored?.kind !== 'earlier') return { isRight: isSecretOf(stored, { ...used, secret }) }
      return isEarlierRight
        ? { isRight: true, renewed: writeStoredPassword({ ...used, secret }) }
        : { isRight: false }
    },

    waiting: queue.count,
    /** How many passwords each has worked on. */
    worked: () => ({ ...worked }),
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

/**
 * A queue with turns by key: each key's first item, then each key's second, and so on. When full, a
 * key with fewer items displaces the last one of the key with most.
 * @param keyMax how many items of one key may wait
 * @param max how many items may wait in all
 */
export function createTurnQueue<Item>({ keyMax, max }: { keyMax: number; max: number }) {
  /** The key whose turn is next comes first. */
  const lines = new Map<string, Item[]>()
  const state = { count: 0 }

  function findLongest(): Item[] {
    return [...lines.values()].reduce((a, b) => (b.length > a.length ? b : a), [])
  }

  function setLine(key: string, line: Item[]) {
    lines.delete(key)
    if (line.length > 0) lines.set(key, line)
  }

  return {
    count: () => state.count,

    /** @returns the item that found no place: the given one, one it displaced, or nothing */
    add(key: string, item: Item): Item | undefined {
      const line = lines.get(key) ?? []
      if (line.length >= keyMax) return item
      const longest = state.count >= max ? findLongest() : undefined
      if (longest && longest.length <= line.length + 1) return item
      line.push(item)
      lines.set(key, line)
      if (longest) return longest.pop()
      state.count += 1
      return undefined
    },

    /** Takes out the next item; its key goes to the end. */
    take(): Item | undefined {
      const [first] = lines
      if (!first) return undefined
      const [key, line] = first
      const item = line.shift()
      setLine(key, line)
      state.count -= 1
      return item
    },

    /** Removes an item that no longer waits. @returns false when it was not there */
    remove(key: string, item: Item): boolean {
      const line = lines.get(key) ?? []
      const index = line.indexOf(item)
      if (index === -1) return false
      line.splice(index, 1)
      if (line.length === 0) lines.delete(key)
      state.count -= 1
      return true
    },
  }
}

/** Derives the secret that signs in; with `bcrypt` also checks the password against that hash. */
interface PasswordTask {
  password: string
  salt: string
  logN: number
  bcrypt?: string | undefined
}

/** `secret` in base64url. */
interface PasswordTaskResult {
  secret: string
  isEarlierRight: boolean
}

interface Pending {
  resolve(result: PasswordTaskResult): void
  reject(error: Error): void
}

/**
 * Threads that derive, each with one password at a time. They start on demand and end when all are idle.
 * @param threads the maximum
 * @param onFree called when a thread finishes
 */
function createPasswordThreads(options: { threads: number; onFree: () => void }) {
  const { threads, onFree } = options
  const idle: Worker[] = []
  const busy = new Map<Worker, Pending>()
  const state = { idleTimer: undefined as NodeJS.Timeout | undefined }

  function start(): Worker {
    const bcryptPath = createRequire(import.meta.url).resolve('bcryptjs')
    const worker = new Worker(workerSource, {
      eval: true,
      workerData: {
        bcryptPath,
        r: passwordCost.r,
        p: passwordCost.p,
        purpose: passwordPurposes.signIn,
      },
    })
    worker.unref()
    worker.on('message', (result: PasswordTaskResult) => {
      const pending = busy.get(worker)
      busy.delete(worker)
      idle.push(worker)
      pending?.resolve(result)
      if (busy.size === 0) state.idleTimer = setTimeout(() => void stop(), idleEndMs).unref()
      onFree()
    })
    worker.on('error', (error) => {
      drop(worker, error)
      onFree()
    })
    return worker
  }

  function drop(worker: Worker, error: Error) {
    busy.get(worker)?.reject(error)
    busy.delete(worker)
    const index = idle.indexOf(worker)
    if (index !== -1) idle.splice(index, 1)
  }

  async function stop() {
    clearTimeout(state.idleTimer)
    const all = [...idle, ...busy.keys()]
    for (const worker of all) drop(worker, new Error('The password threads are closed.'))
    await Promise.all(all.map((worker) => worker.terminate()))
  }

  return {
    isFree: () => busy.size < threads,
    /** Call only while `isFree`. */
    run(task: PasswordTask): Promise<PasswordTaskResult> {
      clearTimeout(state.idleTimer)
      return new Promise((resolve, reject) => {
        const worker = idle.pop() ?? start()
        busy.set(worker, { resolve, reject })
        worker.postMessage(task)
      })
    },
    close: stop,
  }
}
