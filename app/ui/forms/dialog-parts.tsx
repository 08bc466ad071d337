import type { ReactNode } from 'react'
import styles from './dialog-form.module.css'

/** What went wrong, in words, read out when it appears. */
export function DialogProblem({ children }: { children: ReactNode }) {
  return (
    <p className={styles.problem} role="alert">
      {children}
    </p>
  )
}

/** A dialog's buttons, which stay in sight while what is above them scrolls. */
export function DialogFoot({ children }: { children: ReactNode }) {
  return <div className={styles.foot}>{children}</div>
}
