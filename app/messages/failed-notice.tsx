import type { MessageDocument } from '../../schema/message.ts'
import { Icon } from '../ui/icon.tsx'
import type { MessageActions } from './message-actions.ts'
import styles from './notice.module.css'

interface FailedNoticeProps {
  message: MessageDocument
  actions: MessageActions
}

/** Why a message was not sent, and what can be done about it. */
export function FailedNotice({ message, actions }: FailedNoticeProps) {
  return (
    <div className={styles.notice}>
      <p className={styles.reason}>
        <Icon name="warning" size={18} />
        {message.error ?? 'Failed to send message'}
      </p>
      <div className={styles.noticeButtons}>
        <button type="button" onClick={() => actions.retry(message)}>
          Retry
        </button>
        <button type="button" onClick={() => actions.edit(message)}>
          Edit
        </button>
        <button type="button" onClick={() => actions.copy(message.content)}>
          Copy
        </button>
        <button type="button" onClick={() => actions.discard(message)}>
          Discard
        </button>
      </div>
    </div>
  )
}
