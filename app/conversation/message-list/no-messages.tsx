import styles from '../styles/conversation.module.css'
import { TypingBubble } from './typing-bubble.tsx'

interface NoMessagesProps {
  isLoaded: boolean
  isTyping: boolean
  peerName: string
}

/** Shown while there are no messages. */
export function NoMessages({ isLoaded, isTyping, peerName }: NoMessagesProps) {
  if (!isLoaded) {
    return (
      <div className={styles.middle}>
        <p className={styles.loading}>Loading messages...</p>
      </div>
    )
  }
  return (
    <>
      <div className={styles.middle}>
        <h2>No messages yet</h2>
        <p>Start the conversation with {peerName}!</p>
      </div>
      {isTyping && <TypingBubble name={peerName} />}
    </>
  )
}
