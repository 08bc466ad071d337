import { needsHomeScreen } from '../../offline/install-prompt.ts'
import type { LiveSource } from '../../ui/hooks/use-live-value.ts'

/**
 * `install`: a tab on an iPhone or iPad, where only an installed app has notifications. `ask`: never
 * asked; `blocked`: the browser refuses, and only its own settings can change that.
 */
export type NotificationState = 'install' | 'unsupported' | 'ask' | 'on' | 'off' | 'blocked'

export interface NotificationChoice extends LiveSource<NotificationState> {
  /** Asks for the browser's permission if needed; call it only from a click. */
  turnOn(): Promise<void>
  turnOff(): void
}

const chosenKey = 'notifications'

/** Whether this person wants notifications on this device, and whether the browser allows them. */
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
      if (!('Notification' in globalThis)) return
      await Notification.requestPermission()
      choose('on')
    },
    turnOff: () => choose('off'),
  }
}

function readState(): NotificationState {
  if (needsHomeScreen()) return 'install'
  if (!('Notification' in globalThis)) return 'unsupported'
  if (Notification.permission === 'denied') return 'blocked'
  const chosen = localStorage.getItem(chosenKey)
  if (chosen === 'off') return 'off'
  if (Notification.permission === 'granted') return 'on'
  // Chosen, but the person closed the browser's prompt without an answer: do not ask again.
  return chosen === null ? 'ask' : 'off'
}
