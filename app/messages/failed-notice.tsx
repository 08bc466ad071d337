import { isBlank } from '../../schema/helpers/text.ts'
import type { MessageDocument } from '../../schema/message.ts'
import { Icon } from '../ui/icons/icon.tsx'
import { joinClassNames } from '../ui/styles/join-class-names.ts'
import type { MessageActions } from './message-actions.ts'
import styles from './notice.module.css'

interface FailedNoticeProps {
  message: MessageDocument
  /** Set if the message can still go as a template. */
  onTemplate: ((message: MessageDocument) => void) | undefined
  actions: MessageActions
}

/** Why a message failed, and what the person can do. */
export function FailedNotice({ message, onTemplate, actions }: FailedNoticeProps) {
  return (
    <div className={joinClassNames(styles.notice, onTemplate && styles.offer)}>
      <p className={styles.reason}>
        <Icon name={onTemplate ? 'info' : 'warning'} size={18} />
        {message.error ?? 'Failed to send message'}
      </p>
      <div className={styles.noticeButtons}>
        {onTemplate && (
          <button type="button" onClick={() => onTemplate(message)}>
            Send as a template
          </button>
        )}
        <button type="button" onClick={() => actions.retry(message)}>
          Retry
        </button>
        {/* A template or an interactive message is not one editable text. */}
        {message.type !== 'template' && message.type !== 'interactive' && (
          <button type="button" onClick={() => actions.edit(message)}>
            Edit
          </button>
        )}
        {!isBlank(message.content) && (
          <button type="button" onClick={() => actions.copy(message.content)}>
            Copy
          </button>
        )}
        <button type="button" onClick={() => actions.discard(message)}>
          Discard
        </button>
      </div>
    </div>
  )
}
