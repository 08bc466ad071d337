const recentMs = 1_000

/** Tells whether any other caller was active lately. @param now ms of a monotonic clock */
export function createActivity(now = () => performance.now()) {
  const state = {
    last: { key: '', at: Number.NEGATIVE_INFINITY },
    /** The last caller who was somebody else. */
    before: { key: '', at: Number.NEGATIVE_INFINITY },
  }
  return {
    record(key: string) {
      if (key !== state.last.key) state.before = state.last
      state.last = { key, at: now() }
    },
    isAlone: (key: string) =>
      [state.last, state.before].every((one) => one.key === key || now() - one.at > recentMs),
  }
}
