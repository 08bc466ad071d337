import { useMemo, useState } from 'react'
import type { Messenger } from '../sync/messenger-types.ts'
import { Button } from '../ui/buttons/button.tsx'
import { formatRowTime } from '../ui/format/format-day.ts'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import { useToday } from '../ui/hooks/use-today.ts'
import { describeMessage } from '../ui/text/describe-message.ts'
import styles from './contact-panel.module.css'
import { PanelRow } from './panel-row.tsx'

interface StarredRowProps {
  messenger: Messenger
  peerId: string
  name: string
  onGoToMessage(messageId: string): void
}

const shownAtFirst = 20

/** The chat's starred messages, newest star first, beneath their row. */
export function StarredRow({ messenger, peerId, name, onGoToMessage }: StarredRowProps) {
  const all = useLiveValue(messenger.starred)
  const today = useToday()
  const [isOpen, setIsOpen] = useState(false)
  const [limit, setLimit] = useState(shownAtFirst)
  const messages = useMemo(() => all?.filter((one) => one.peerId === peerId) ?? [], [all, peerId])
  return (
    <PanelRow
      icon="star"
      label="Starred messages"
      end={messages.length > 0 ? String(messages.length) : undefined}
      isExpanded={isOpen}
      onClick={() => setIsOpen(!isOpen)}
    >
      {isOpen && messages.length === 0 && <p className={styles.none}>No starred messages</p>}
      {isOpen && messages.length > 0 && (
        <ul className={styles.starred} aria-label="Starred messages">
          {messages.slice(0, limit).map((message) => (
            <li key={message._id}>
              <button
                type="button"
                className={styles.message}
                onClick={() => onGoToMessage(message._id)}
              >
                <span className={styles.author}>
                  <span>{message.senderId === messenger.userId ? 'You' : name}</span>
                  <time>{formatRowTime(message.createdAt, today)}</time>
                </span>
                <span className={styles.text} dir="auto">
                  {describeMessage(message)}
                </span>
              </button>
            </li>
          ))}
          {messages.length > limit && (
            <li>
              <Button look="quiet" onClick={() => setLimit(limit + shownAtFirst)}>
                Show more
              </Button>
            </li>
          )}
        </ul>
      )}
    </PanelRow>
  )
}
