import type { LiveSource } from '../../ui/hooks/use-live-value.ts'

/**
 * Does this device get notifications while the app is closed? `no-worker`: the page is not on HTTPS.
 * `no-service`: this browser has no pushes. `passing`: the sign-in ends with the browser.
 * `unreachable`: the browser's push service, or ours, gave no address.
 */
export type PushState = 'off' | 'on' | 'no-worker' | 'no-service' | 'passing' | 'unreachable'

export interface PushStatus extends LiveSource<PushState> {
  set(state: PushState): void
}

export function createPushStatus(): PushStatus {
  const listeners = new Set<() => void>()
  let state: PushState = 'off'
  return {
    getSnapshot: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    set(next) {
      if (next === state) return
      state = next
      for (const listener of listeners) listener()
    },
  }
}
