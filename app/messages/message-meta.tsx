import { isEdited, type MessageDocument } from '../../schema/message.ts'
import { formatClockTime } from '../ui/format/format-clock-time.ts'
import { Icon } from '../ui/icons/icon.tsx'
import { MessageTicks } from '../ui/icons/message-ticks.tsx'
import { describeTimes } from './describe-times.ts'
import styles from './message.module.css'
import { WhatsAppIcon } from './whatsapp-icon.tsx'

interface MessageMetaProps {
  message: MessageDocument
  isOwn: boolean
}

/** A bubble's corner: star, edited, the time, and the ticks of an own message. */
export function MessageMeta({ message, isOwn }: MessageMetaProps) {
  const isDeleted = message.deletedAt !== undefined
  return (
    <span className={styles.meta} dir="ltr">
      {message.isWhatsApp && <WhatsAppIcon />}
      {message.isStarred && (
        <span role="img" aria-label="Starred">
          <Icon name="star" size={12} isFilled />
        </span>
      )}
      {isEdited(message) && <span>edited</span>}
      <time dateTime={new Date(message.createdAt).toISOString()}>
        {isDeleted ? formatClockTime(message.createdAt) : describeTimes(message)}
      </time>
      {isOwn && !isDeleted && (
        <MessageTicks status={message.status} isWhatsApp={message.isWhatsApp} />
      )}
    </span>
  )
}
