import type { ReactNode } from 'react'
import styles from '../../offline/offer.module.css'
import type { Messenger } from '../../sync/messenger-types.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { useLivePart, useLiveValue } from '../../ui/hooks/use-live-value.ts'
import type { NotificationChoice } from './notification-choice.ts'

interface NotificationOfferProps {
  messenger: Messenger
  choice: NotificationChoice
  /** Shown instead when there is nothing to ask. */
  otherwise: ReactNode
}

/** Asks once, after the first own message: from then on answers can arrive. */
export function NotificationOffer({ messenger, choice, otherwise }: NotificationOfferProps) {
  const state = useLiveValue(choice)
  const hasWritten = useLivePart(messenger.conversations, (rows) =>
    rows.some((row) => row.lastMessage?.senderId === messenger.userId),
  )
  if (state !== 'ask' || !hasWritten) return otherwise
  return (
    <aside className={styles.offer} aria-label="Notifications">
      <span className={styles.words}>Get notified about new messages?</span>
      <Button onClick={() => void choice.turnOn()}>Turn on</Button>
      <IconButton icon="close" label="Not now" onClick={choice.turnOff} />
    </aside>
  )
}
