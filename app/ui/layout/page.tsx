import type { ReactNode } from 'react'
import { IconButton } from '../buttons/icon-button.tsx'
import styles from './page.module.css'

interface PageProps {
  title: string
  backLabel: string
  onBack(): void
  /** Shown after the title. */
  end?: ReactNode
  children: ReactNode
}

/** A full page whose header has a back button. */
export function Page({ title, backLabel, onBack, end, children }: PageProps) {
  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <IconButton icon="back" label={backLabel} onClick={onBack} />
        <h1>{title}</h1>
        {end}
      </header>
      <div className={styles.body}>{children}</div>
    </div>
  )
}
