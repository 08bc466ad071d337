import type { MessageDocument } from '../../schema/message.ts'
import { describeMessage } from '../ui/describe-message.ts'
import { type LiveSource, useLiveValue } from '../ui/use-live-value.ts'
import styles from './message.module.css'

interface QuotedMessageProps {
  source: LiveSource<MessageDocument | undefined>
  messageId: string
  peerId: string
  peerName: string
  onShow(messageId: string): void
}

/** The message that is answered; leads to it. */
export function QuotedMessage({ source, messageId, peerId, peerName, onShow }: QuotedMessageProps) {
  const message = useLiveValue(source)
  return (
    <button type="button" className={styles.quote} tabIndex={-1} onClick={() => onShow(messageId)}>
      {message && (
        <span className={styles.quoteName}>{message.senderId === peerId ? peerName : 'You'}</span>
      )}
      <span className={styles.quoteText} dir="auto">
        {message ? describeMessage(message) : 'This message is not on this device'}
      </span>
    </button>
  )
}
