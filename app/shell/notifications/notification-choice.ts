import type { LiveSource } from '../../ui/hooks/use-live-value.ts'

/** `ask`: never asked; `blocked`: the browser says no, and only its own settings change that. */
export type NotificationState = 'unsupported' | 'ask' | 'on' | 'off' | 'blocked'

export interface NotificationChoice extends LiveSource<NotificationState> {
  /** Asks the browser if it has to be asked; only from a click. */
  turnOn(): Promise<void>
  turnOff(): void
}

const chosenKey = 'notifications'

/** Whether this person wants to be told of messages on this device, and whether the browser lets us. */
export function createNotificationChoice(): NotificationChoice {
  const listeners = new Set<() => void>()

  function tell() {
    for (const listener of listeners) listener()
  }

  function choose(chosen: 'on' | 'off') {
    localStorage.setItem(chosenKey, chosen)
    tell()
  }

  return {
    getSnapshot: readState,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async turnOn() {
      if (readState() === 'unsupported') return
      await Notification.requestPermission()
      choose('on')
    },
    turnOff: () => choose('off'),
  }
}

function readState(): NotificationState {
  if (!('Notification' in globalThis)) return 'unsupported'
  if (Notification.permission === 'denied') return 'blocked'
  const chosen = localStorage.getItem(chosenKey)
  if (chosen === 'off') return 'off'
  if (Notification.permission === 'granted') return 'on'
  // Chosen, but the browser's own question was closed without an answer: that was the once.
  return chosen === null ? 'ask' : 'off'
}
