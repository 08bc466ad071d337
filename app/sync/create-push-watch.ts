/**
 * Knows which documents are being pushed. An answer of the server may hold what a push under way has led to;
 * RxDB drops that as long as it believes the push undone, and never asks again: a message would stay unsent
 * for ever on the device that sent it. So such an answer waits; any other passes.
 */
export function createPushWatch(options: {
  /** Resolves when RxDB has taken note of every push that has been answered. */
  untilNoted: () => Promise<unknown>
}) {
  const pushes = new Set<{ ids: ReadonlySet<string>; over: Promise<unknown> }>()

  return {
    /** Runs one push. A failed one is tried again, and what it led to then comes with the answer to that. */
    async watch<T>(ids: Iterable<string>, push: () => Promise<T>): Promise<T> {
      const pushing = push()
      const over = pushing.then(options.untilNoted).catch(() => {})
      const entry = { ids: new Set(ids), over }
      pushes.add(entry)
      void over.then(() => pushes.delete(entry))
      return await pushing
    },
    /** Resolves when none of these documents is being pushed any more. */
    async untilOver(ids: readonly string[]): Promise<void> {
      const concerned = [...pushes].filter((push) => ids.some((id) => push.ids.has(id)))
      await Promise.all(concerned.map(({ over }) => over))
    },
  }
}
