import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'

/** With a `hash` checks the password against it, else hashes it with this `cost`. */
export type PasswordTask = { password: string; hash: string } | { password: string; cost: number }

interface Pending {
  resolve(result: string | boolean): void
  reject(error: Error): void
}

const idleEndMs = 30_000

/**
 * A thread's code as text: it must start from the sources, the built file and tests alike. On Linux
 * each thread has a priority: on a full machine, reading messages goes before hashing.
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
 * bcrypt threads, each with one password at a time. They start on demand and end when all are idle.
 * @param threads the maximum
 * @param onFree called when a thread finishes
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
    /** Call only while `isFree`. */
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
