/**
 * Knows which documents are being pushed. An answer of the server may hold what a push under way has led to;
 * RxDB drops that as long as it believes the push undone, and never asks again: a message would stay unsent
 * for ever on the device that sent it. So these documents are not given to it meanwhile; all others are.
 */
export function createPushWatch(options: {
  /** Resolves when RxDB has taken note of every push that has been answered. */
  untilNoted: () => Promise<unknown>
}) {
  /** How many pushes each is in. */
  const underWay = new Map<string, number>()
  const listeners = { begun: new Set<() => void>(), over: new Set<() => void>() }

  function end(ids: readonly string[]) {
    for (const id of ids) {
      const left = (underWay.get(id) ?? 1) - 1
      if (left > 0) underWay.set(id, left)
      else underWay.delete(id)
    }
    for (const listener of listeners.over) listener()
  }

  return {
    /** Runs one push. */
    async watch<T>(ids: readonly string[], push: () => Promise<T>): Promise<T> {
      for (const id of ids) underWay.set(id, (underWay.get(id) ?? 0) + 1)
      for (const listener of listeners.begun) listener()
      const pushing = push()
      void pushing
        .then(options.untilNoted)
        .catch(() => {})
        .then(() => end(ids))
      return await pushing
    },
    isUnderWay: (id: string) => underWay.has(id),
    isIdle: () => underWay.size === 0,
    /** Calls `listener` whenever a push is over. */
    onOver(listener: () => void) {
      listeners.over.add(listener)
    },
    /** Calls `listener` whenever a push begins. */
    onBegun(listener: () => void) {
      listeners.begun.add(listener)
    },
  }
}

export type PushWatch = ReturnType<typeof createPushWatch>
