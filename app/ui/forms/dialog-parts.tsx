import { type ReactNode, useEffect, useRef } from 'react'
import styles from './dialog-form.module.css'

/** What went wrong, in words, read out when it appears, and in sight in a dialog that scrolls. */
export function DialogProblem({ children }: { children: ReactNode }) {
  const problem = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    if (children) problem.current?.scrollIntoView({ block: 'nearest' })
  }, [children])
  return (
    <p className={styles.problem} role="alert" ref={problem}>
      {children}
    </p>
  )
}

/** A dialog's buttons, which stay in sight while what is above them scrolls. */
export function DialogFoot({ children }: { children: ReactNode }) {
  return <div className={styles.foot}>{children}</div>
}
