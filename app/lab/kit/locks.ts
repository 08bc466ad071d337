/** What a page uses of `navigator.locks`. */
export type Locks = Pick<LockManager, 'request'>

interface Request {
  run: () => void
  reject: (reason: unknown) => void
}

/** One device's Web Locks: held by one tab at a time, queued in order, and stolen. */
export function createLabLocks(): Locks {
  const held = new Map<string, Request>()
  const queues = new Map<string, Request[]>()

  function runNext(name: string) {
    if (held.has(name)) return
    const next = queues.get(name)?.shift()
    if (!next) return
    held.set(name, next)
    next.run()
  }

  async function request(
    name: string,
    options: LockOptions,
    callback: LockGrantedCallback<unknown>,
  ): Promise<unknown> {
    return await new Promise((resolve, reject) => {
      const own: Request = {
        reject,
        run() {
          Promise.resolve(callback({ name, mode: 'exclusive' }))
            .then(resolve, reject)
            .finally(() => {
              if (held.get(name) === own) held.delete(name)
              runNext(name)
            })
        },
      }
      const queue = queues.get(name) ?? []
      queues.set(name, queue)
      if (options.ifAvailable && (held.has(name) || queue.length > 0)) {
        return void Promise.resolve(callback(null)).then(resolve, reject)
      }
      if (options.steal) {
        held.get(name)?.reject(new DOMException('The lock was stolen.', 'AbortError'))
        held.delete(name)
        queue.unshift(own)
      } else queue.push(own)
      options.signal?.addEventListener('abort', () => {
        // As in a browser, a lock that is held stays so.
        if (!queue.includes(own)) return
        queue.splice(queue.indexOf(own), 1)
        reject(new DOMException('The request was aborted.', 'AbortError'))
      })
      runNext(name)
    })
  }
  // The product always passes options; the interface's shorter form is not supported.
  return { request } as Locks
}
