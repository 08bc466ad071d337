import styles from '../styles/conversation.module.css'

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
