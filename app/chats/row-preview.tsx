import type { ConversationRow } from '../sync/messenger-types.ts'
import { MessageTicks } from '../ui/icons/message-ticks.tsx'
import { cutPreview } from '../ui/text/cut-preview.ts'
import { describeMessage } from '../ui/text/describe-message.ts'
import styles from './conversation-row.module.css'

interface RowPreviewProps {
  row: ConversationRow
  ownId: string
  isTyping: boolean
  draft: string
}

/** The second line of a row: typing, a draft, or the last message with its ticks. */
export function RowPreview({ row, ownId, isTyping, draft }: RowPreviewProps) {
  if (isTyping) return <span className={`${styles.preview} ${styles.typing}`}>typing...</span>
  if (draft.trim() !== '') {
    return (
      <span className={styles.preview}>
        <span className={styles.draft}>Draft:</span>
        <span className={styles.words}>{cutPreview(draft.trim())}</span>
      </span>
    )
  }
  const message = row.lastMessage
  if (!message) {
    return <span className={styles.preview}>{row.isComing ? '\u00a0' : 'No messages yet'}</span>
  }
  const hasTicks = message.senderId === ownId && message.deletedAt === undefined
  return (
    <span className={styles.preview}>
      {hasTicks && <MessageTicks status={message.status} isWhatsApp={message.isWhatsApp} />}
      <span className={styles.words}>{cutPreview(describeMessage(message))}</span>
    </span>
  )
}
