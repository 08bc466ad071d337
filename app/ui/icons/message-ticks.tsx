import type { MessageStatus } from '../../../schema/message.ts'
import { joinClassNames } from '../styles/join-class-names.ts'
import { nameStatus } from '../text/describe-message.ts'
import styles from './message-ticks.module.css'

const strokes: Record<MessageStatus, string> = {
  sending: 'M9 3.2a4.8 4.8 0 1 0 0 9.6 4.8 4.8 0 0 0 0-9.6ZM9 5.3V8l1.8 1.2',
  failed: 'M9 2.7 2.9 13h12.2L9 2.7ZM9 6.6v2.9M9 11.2v.01',
  sent: 'm4.5 8.6 3.2 3.2 6-7',
  delivered: 'm1.5 8.6 3.2 3.2 6-7M8.7 11.6l.2.2 6-7',
  read: 'm1.5 8.6 3.2 3.2 6-7M8.7 11.6l.2.2 6-7',
}

interface MessageTicksProps {
  status: MessageStatus
  isWhatsApp?: boolean | undefined
}

/**
 * The delivery status of an own message: a clock, one tick, two ticks, or a warning. Ticks of a
 * read message are blue, green if it went over WhatsApp.
 */
export function MessageTicks({ status, isWhatsApp }: MessageTicksProps) {
  return (
    <svg
      className={joinClassNames(
        styles.ticks,
        status === 'read' && (isWhatsApp ? styles.readOnWhatsApp : styles.read),
        status === 'failed' && styles.failed,
      )}
      data-status={status}
      width="18"
      height="16"
      viewBox="0 0 17.5 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      role="img"
      aria-label={nameStatus(status)}
    >
      {/* A new one for each status: it fades in. */}
      <path key={status} d={strokes[status]} />
    </svg>
  )
}
