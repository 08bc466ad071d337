import styles from './notice.module.css'

/**
 * Reports a finished action unobtrusively, also to screen readers. Always mounted, so that screen
 * readers notice the change.
 */
export function Notice({ words }: { words: string }) {
  return (
    <div className={styles.place} role="status">
      {words && <p className={styles.notice}>{words}</p>}
    </div>
  )
}
