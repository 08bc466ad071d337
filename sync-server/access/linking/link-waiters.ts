import { createDeferred } from '../../../schema/helpers/deferred.ts'

/** Those who wait for a link to change; each wait ends with its time, its caller or the server. */
export function createLinkWaiters() {
  const waiters = new Map<string, Set<() => void>>()
  const state = { isClosed: false }

  return {
    /** Begins to wait. `stop` ends the wait, and may be called at any time. */
    wait(id: string, options: { withinMs: number; gone: AbortSignal }) {
      const { withinMs, gone } = options
      const end = createDeferred()
      const own = waiters.get(id) ?? new Set()
      waiters.set(id, own.add(stop))
      const timer = setTimeout(stop, withinMs)
      gone.addEventListener('abort', stop)
      function stop() {
        clearTimeout(timer)
        gone.removeEventListener('abort', stop)
        own.delete(stop)
        if (own.size === 0 && waiters.get(id) === own) waiters.delete(id)
        end.resolve()
      }
      if (state.isClosed || gone.aborted) stop()
      return { ended: end.promise, stop }
    },

    wake(id: string) {
      for (const stop of [...(waiters.get(id) ?? [])]) stop()
    },

    isClosed: () => state.isClosed,

    close() {
      state.isClosed = true
      for (const own of [...waiters.values()]) for (const stop of [...own]) stop()
    },
  }
}
