import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'

/** Says that too many passwords wait already; the caller answers "busy" instead of growing the queue. */
export class HasherBusy extends Error {
  override name = 'HasherBusy'
}

const defaultCost = 10
const waitingMax = 200
const idleEndMs = 30_000

/**
 * A thread of its own, as text: it has to start alike from the sources, from the built file and under test.
 * bcryptjs would otherwise hold up everybody's messages for the time of each sign-in.
 */
const workerSource = `
const { parentPort, workerData } = require('node:worker_threads')
const bcrypt = require(workerData.bcryptPath)
parentPort.on('message', ({ id, password, hash, cost }) => {
  const result = hash === undefined ? bcrypt.hashSync(password, cost) : bcrypt.compareSync(password, hash)
  parentPort.postMessage({ id, result })
})
`

type Task = { password: string; hash?: string; cost?: number }
type Pending = { resolve: (result: string | boolean) => void; reject: (error: Error) => void }

/**
 * Hashes and checks passwords with bcrypt, one at a time, off the main thread. The thread ends when idle.
 * Passwords are at most 72 bytes: the schema checks it, bcrypt would cut the rest.
 */
export function createPasswordHasher(options: { cost?: number } = {}) {
  const cost = options.cost ?? defaultCost
  /** Nobody's: no password is looked for in it, checking one only takes its time. */
  const nobodysHash = `$2b$${String(cost).padStart(2, '0')}$${'x'.repeat(53)}`
  const pending = new Map<number, Pending>()
  const state = {
    worker: undefined as Worker | undefined,
    nextId: 0,
    idleTimer: undefined as NodeJS.Timeout | undefined,
  }

  function run(task: Task): Promise<string | boolean> {
    if (pending.size >= waitingMax)
      return Promise.reject(new HasherBusy('Too many passwords wait.'))
    clearTimeout(state.idleTimer)
    state.nextId += 1
    const id = state.nextId
    return new Promise((resolve, reject) => {
      pending.set(id, { resolve, reject })
      state.worker ??= start()
      state.worker.postMessage({ id, ...task })
    })
  }

  function start(): Worker {
    const bcryptPath = createRequire(import.meta.url).resolve('bcryptjs')
    const worker = new Worker(workerSource, { eval: true, workerData: { bcryptPath } })
    worker.unref()
    worker.on('message', ({ id, result }: { id: number; result: string | boolean }) => {
      pending.get(id)?.resolve(result)
      pending.delete(id)
      if (pending.size === 0) state.idleTimer = setTimeout(() => void stop(), idleEndMs).unref()
    })
    worker.on('error', (error) => fail(error))
    return worker
  }

  function fail(error: Error) {
    state.worker = undefined
    for (const { reject } of pending.values()) reject(error)
    pending.clear()
  }

  async function stop() {
    clearTimeout(state.idleTimer)
    const { worker } = state
    fail(new Error('The password hasher is closed.'))
    await worker?.terminate()
  }

  return {
    hash: async (password: string) => String(await run({ password, cost })),
    /**
     * Is this the password of the hash? Without a hash (nobody has that name) it takes as long and is never
     * right, so that the time of an answer does not tell who has an account.
     */
    async verify(password: string, hash: string | undefined) {
      const isRight = await run({ password, hash: hash ?? nobodysHash })
      return isRight === true && hash !== undefined
    },
    waiting: () => pending.size,
    close: stop,
  }
}

export type PasswordHasher = ReturnType<typeof createPasswordHasher>
