import type { MessageDocument } from '../../schema/message.ts'
import { type LiveSource, useLiveValue } from '../ui/hooks/use-live-value.ts'
import { describeMessage } from '../ui/text/describe-message.ts'
import styles from './quoted-message.module.css'

interface QuotedMessageProps {
  source: LiveSource<MessageDocument | null | undefined>
  /** The message itself, if loaded already. */
  loaded: MessageDocument | undefined
  messageId: string
  peerId: string
  peerName: string
  onShow(messageId: string): void
}

/** The message replied to, with a link to it. */
export function QuotedMessage(props: QuotedMessageProps) {
  const { messageId, peerId, peerName, onShow } = props
  const read = useLiveValue(props.source)
  const message = props.loaded ?? read
  return (
    <button type="button" className={styles.quote} tabIndex={-1} onClick={() => onShow(messageId)}>
      {message !== null && (
        <span className={styles.quoteName}>
          {message && (message.senderId === peerId ? peerName : 'You')}
        </span>
      )}
      <span className={styles.quoteText} dir="auto">
        {message === null
          ? "This message isn't on this device"
          : message && describeMessage(message)}
      </span>
    </button>
  )
}
