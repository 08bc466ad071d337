import type { MessageDocument, RefusedChange } from '../../schema/message.ts'
import { Icon } from '../ui/icons/icon.tsx'
import type { MessageActions } from './message-actions.ts'
import styles from './notice.module.css'

interface RefusalNoticeProps {
  message: MessageDocument
  refused: RefusedChange
  actions: MessageActions
}

/** A refused edit: the reason, the refused text, and what the person can do. */
export function RefusalNotice({ message, refused, actions }: RefusalNoticeProps) {
  const { content } = refused
  return (
    <div className={styles.notice}>
      <p className={styles.reason}>
        <Icon name="warning" size={18} />
        {refused.error}
      </p>
      {content && (
        <p className={styles.refusedText} dir="auto">
          {content}
        </p>
      )}
      <div className={styles.noticeButtons}>
        {content && message.deletedAt === undefined && (
          <button type="button" onClick={() => actions.editAgain(message, content)}>
            Edit again
          </button>
        )}
        {content && (
          <button type="button" onClick={() => actions.copy(content)}>
            Copy
          </button>
        )}
        <button type="button" onClick={() => actions.dismissRefusal(message)}>
          Dismiss
        </button>
      </div>
    </div>
  )
}
