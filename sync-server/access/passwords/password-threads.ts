import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'

/** With a `hash` the password is checked against it, else it is hashed with this `cost`. */
export type PasswordTask = { password: string; hash: string } | { password: string; cost: number }

interface Pending {
  resolve(result: string | boolean): void
  reject(error: Error): void
}

const idleEndMs = 30_000

/**
 * A thread of its own, as text: it has to start alike from the sources, from the built file and under test.
 * On Linux a priority is a thread's: whoever reads messages comes before whoever checks passwords, on a full machine too.
 */
const workerSource = `
const { setPriority } = require('node:os')
const { parentPort, workerData } = require('node:worker_threads')
const bcrypt = require(workerData.bcryptPath)
try {
  if (process.platform === 'linux') setPriority(10)
} catch {}
parentPort.on('message', ({ password, hash, cost }) => {
  parentPort.postMessage(
    hash === undefined ? bcrypt.hashSync(password, cost) : bcrypt.compareSync(password, hash),
  )
})
`

/**
 * Threads for bcrypt, each with one password at a time. They start when they are needed, and end when all are idle.
 * @param threads how many there are at most
 * @param onFree called when a thread has done its work
 */
export function createPasswordThreads(options: { threads: number; onFree: () => void }) {
  const { threads, onFree } = options
  const idle: Worker[] = []
  const busy = new Map<Worker, Pending>()
  const state = { idleTimer: undefined as NodeJS.Timeout | undefined }

  function start(): Worker {
    const bcryptPath = createRequire(import.meta.url).resolve('bcryptjs')
    const worker = new Worker(workerSource, { eval: true, workerData: { bcryptPath } })
    worker.unref()
    worker.on('message', (result: string | boolean) => {
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
    /** To be called while `isFree`. */
    run(task: PasswordTask): Promise<string | boolean> {
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
