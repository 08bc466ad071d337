import styles from './conversation.module.css'

/** What stands in place of the messages while there are none. */
export function NoMessages({ isLoaded, peerName }: { isLoaded: boolean; peerName: string }) {
  if (!isLoaded) {
    return (
      <div className={styles.middle}>
        <p className={styles.loading}>Loading messages...</p>
      </div>
    )
  }
  return (
    <div className={styles.middle}>
      <h2>No messages yet</h2>
      <p>Start the conversation with {peerName}!</p>
    </div>
  )
}
