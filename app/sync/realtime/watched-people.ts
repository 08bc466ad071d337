import type { ClientEvent, ServerEvent } from '../../../schema/api/socket-events.ts'
import { limits } from '../../../schema/limits.ts'

/** What scrolls by is told together, and the server hears of it at most so often. */
const tellEveryMs = 500
const gatherMs = 50

/**
 * The people whom the screens show now. The server hears of them where so many are online that it does not tell of
 * everybody; one that says nothing of that is told nothing.
 * @param now epoch ms
 */
export function createWatchedPeople(options: {
  send: (event: ClientEvent) => boolean
  now: () => number
}) {
  const { send, now } = options
  /** How often each is shown, who was shown last at the end. */
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
    state.toldAt = now()
  }

  function request() {
    if (!state.isAsked) return
    state.timer ??= setTimeout(tell, Math.max(gatherMs, state.toldAt + tellEveryMs - now()))
  }

  /** A new connection begins without. */
  function forget() {
    clearTimeout(state.timer)
    Object.assign(state, { isAsked: false, told: '', timer: undefined })
  }

  return {
    /** Notes that somebody is shown. @returns ends it */
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
