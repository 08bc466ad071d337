import styles from '../styles/conversation.module.css'

interface NoMessagesProps {
  isLoaded: boolean
  hasFailed: boolean
  isTyping: boolean
  peerName: string
  canWrite: boolean
  isGroup: boolean
  /** Is the server still to make the group? */
  isWaiting: boolean
}

/** Shown while there are no messages. */
export function NoMessages(props: NoMessagesProps) {
  const { isLoaded, hasFailed, isTyping, peerName, canWrite, isGroup, isWaiting } = props
  if (!isLoaded) {
    return (
      <div className={styles.middle}>
        {hasFailed ? (
          <p role="alert">This device couldn't read your messages. Trying again soon.</p>
        ) : (
          <p className={styles.loading}>Loading messages...</p>
        )}
      </div>
    )
  }
  return (
    <>
      <div className={styles.middle}>
        <h2>No messages yet</h2>
        {canWrite && !isGroup && <p>Start the conversation with {peerName}!</p>}
        {canWrite && isGroup && !isWaiting && <p>Start the conversation in {peerName}!</p>}
        {canWrite && isWaiting && (
          <p>
            The group is created once you're connected. Write now: your messages send then, too.
          </p>
        )}
      </div>
      {isTyping && <TypingBubble name={peerName} />}
    </>
  )
}

export function TypingBubble({ name }: { name: string }) {
  return (
    <div className={styles.typingRow}>
      <div className={styles.typingBubble} role="img" aria-label={`${name} is typing`}>
        <span />
        <span />
        <span />
      </div>
    </div>
  )
}
