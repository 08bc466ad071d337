import styles from './notice.module.css'

/** Says quietly what has been done; a screen reader says it too. Always there, so that a change is noticed. */
export function Notice({ words }: { words: string }) {
  return (
    <div className={styles.place} role="status">
      {words && <p className={styles.notice}>{words}</p>}
    </div>
  )
}
