const gatherMs = 500
/** Many devices hear of the same person in the same second. */
const spreadMs = 500
const leastMs = 3_000
const longestMs = 5 * 60_000

/**
 * Reloads the list of people when presence names somebody unknown to the device, at most
 * once in some seconds however many they are, and ever more seldom while the list does not have
 * them: a directory may hide people who are online.
 * @param refresh reloads the list; rejects when it was not loaded
 * @param now ms of a clock that nobody sets
 */
export function createNewcomers(options: {
  userId: string
  isKnown: (userId: string) => boolean
  refresh: () => Promise<void>
  now: () => number
  random: () => number
}) {
  const { isKnown, refresh, now, random } = options
  const waiting = new Set<string>()
  /** The list did not have these. */
  const unlisted = new Set([options.userId])
  const state = {
    askedAt: Number.NEGATIVE_INFINITY,
    pauseMs: leastMs,
    isAsking: false,
    isClosed: false,
    timer: undefined as ReturnType<typeof setTimeout> | undefined,
  }

  const isNew = (userId: string) => !isKnown(userId) && !unlisted.has(userId)

  async function ask(userIds: readonly string[]) {
    state.isAsking = true
    state.askedAt = now()
    try {
      await refresh()
      for (const userId of userIds.filter((id) => !isKnown(id))) unlisted.add(userId)
      const hasFound = userIds.length === 0 || userIds.some(isKnown)
      state.pauseMs = hasFound ? leastMs : Math.min(longestMs, state.pauseMs * 2)
    } catch {
      // The next change of presence asks for them again.
      state.pauseMs = Math.min(longestMs, state.pauseMs * 2)
    } finally {
      state.isAsking = false
      request()
    }
  }

  function request() {
    if (waiting.size === 0 || state.isAsking || state.isClosed) return
    const dueMs = state.askedAt + state.pauseMs - now()
    state.timer ??= setTimeout(
      () => {
        state.timer = undefined
        const asked = [...waiting].filter(isNew)
        waiting.clear()
        if (asked.length > 0 && !state.isAsking) void ask(asked)
      },
      Math.max(dueMs, gatherMs + random() * spreadMs),
    )
  }

  return {
    /** Presence has named these people. */
    meet(userIds: readonly string[]) {
      for (const userId of userIds) if (isNew(userId)) waiting.add(userId)
      request()
    },

    /** The list is about to be shown. */
    refreshIfOld() {
      if (!state.isAsking && now() - state.askedAt >= leastMs) void ask([])
    },

    close() {
      state.isClosed = true
      clearTimeout(state.timer)
    },
  }
}
