import { Button } from '../ui/buttons/button.tsx'
import { type LiveSource, useLiveValue } from '../ui/hooks/use-live-value.ts'
import { productName } from '../ui/product.ts'
import styles from './settings.module.css'

type State = 'unsupported' | 'ask' | 'on' | 'off' | 'blocked'

export interface NotificationsSectionProps {
  notifications: LiveSource<State> & { turnOn(): Promise<void>; turnOff(): void }
}

const words: Record<State, string> = {
  unsupported: "This browser can't show notifications here.",
  ask: 'Notifications are off on this device.',
  on: `You'll be notified while ${productName} is open in the background.`,
  off: 'Notifications are off on this device.',
  blocked:
    "Your browser blocks notifications from this address. Allow them in the browser's settings.",
}

/** Notifications of new messages on this device. Muted chats show none. */
export function NotificationsSection({ notifications }: NotificationsSectionProps) {
  const state = useLiveValue(notifications)
  return (
    <section className={styles.stack}>
      <p role="status">{words[state]}</p>
      {(state === 'ask' || state === 'off') && (
        <Button onClick={() => void notifications.turnOn()}>Turn on notifications</Button>
      )}
      {state === 'on' && (
        <Button look="quiet" onClick={notifications.turnOff}>
          Turn off notifications
        </Button>
      )}
    </section>
  )
}
