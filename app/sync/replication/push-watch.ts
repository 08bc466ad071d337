/**
 * Tracks the documents being pushed. An answer may contain the result of a current push; RxDB drops
 * that while it believes the push unfinished and never asks again: the message would stay unsent
 * for ever on its sender's device. So the pull holds back these documents, and only these.
 */
export function createPushWatch(options: {
  /** Resolves when RxDB has noted every answered push. */
  untilNoted: () => Promise<unknown>
}) {
  /** How many current pushes contain each document. */
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
    /** Calls `listener` whenever a push ends. */
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
