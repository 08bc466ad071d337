import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { formatClockTime, formatDate } from '../../ui/format/format-clock-time.ts'
import type { FoundProps } from './found-props.ts'
import styles from './media-page.module.css'

/** Who sent it and when, with a link to the message. */
export function FoundNote({ message, author, onGoToMessage }: Omit<FoundProps, 'messenger'>) {
  const { createdAt } = message
  return (
    <p className={styles.note}>
      <span>
        {author} · {formatDate(createdAt)}, {formatClockTime(createdAt)}
      </span>
      <IconButton icon="chats" iconSize={20} label="Go to message" onClick={onGoToMessage} />
    </p>
  )
}
