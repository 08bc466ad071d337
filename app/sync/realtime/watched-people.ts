import type { ClientEvent, ServerEvent } from '../../../schema/api/socket-events.ts'
import { limits } from '../../../schema/limits.ts'

/** Batches people who scroll by; the server gets an update at most this often. */
const tellEveryMs = 500
const gatherMs = 50

/**
 * The people currently on screen. Reports them only to a server that limits presence to some
 * people.
 */
export function createWatchedPeople(options: { send: (event: ClientEvent) => boolean }) {
  const { send } = options
  /** How many places show each person, the most recent last. */
  const shown = new Map<string, number>()
  const state = {
    isAsked: false,
    told: '',
    toldAt: Number.NEGATIVE_INFINITY,
    timer: undefined as ReturnType<typeof setTimeout> | undefined,
  }

  function tell() {
    state.timer = undefined
    const userIds = [...shown.keys()].slice(-limits.watchedPeopleMax)
    const key = [...userIds].sort().join()
    if (key === state.told) return
    if (!send({ event: 'watch-people', data: { userIds } })) return
    state.told = key
    state.toldAt = performance.now()
  }

  function request() {
    if (!state.isAsked) return
    // Not the time of day: after a clock that was set back, the wait would be as long as that.
    const waitMs = state.toldAt + tellEveryMs - performance.now()
    state.timer ??= setTimeout(tell, Math.max(gatherMs, waitMs))
  }

  /** A new connection starts without a list. */
  function forget() {
    clearTimeout(state.timer)
    Object.assign(state, { isAsked: false, told: '', timer: undefined })
  }

  return {
    /** Records that a screen shows a person. @returns ends it */
    watch(userId: string): () => void {
      const before = shown.get(userId) ?? 0
      shown.delete(userId)
      shown.set(userId, before + 1)
      if (before === 0) request()
      return () => {
        const left = (shown.get(userId) ?? 0) - 1
        if (left > 0) shown.set(userId, left)
        else if (shown.delete(userId)) request()
      }
    },
    handle(event: ServerEvent) {
      if (event.event !== 'presence-scope') return
      forget()
      state.isAsked = event.data === 'some'
      request()
    },
    forget,
    close: forget,
  }
}
