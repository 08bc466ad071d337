import type { ReactNode } from 'react'
import { Button } from '../buttons/button.tsx'
import { IconButton } from '../buttons/icon-button.tsx'
import { PetrelMark } from '../icons/petrel-mark.tsx'
import fullScreenLoaderStyles from './full-screen-loader.module.css'
import styles from './page.module.css'
import visuallyHiddenStyles from './visually-hidden.module.css'

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

/** Text for screen readers only. */
export function VisuallyHidden({ children }: { children: ReactNode }) {
  return <span className={visuallyHiddenStyles.hidden}>{children}</span>
}

interface FullScreenProblemProps {
  title: string
  text: string
  actionLabel: string
  onAction(): void
}

export function FullScreenProblem({ title, text, actionLabel, onAction }: FullScreenProblemProps) {
  return (
    <main className={fullScreenLoaderStyles.loader}>
      <PetrelMark size={56} />
      <h1 className={fullScreenLoaderStyles.title}>{title}</h1>
      <p className={fullScreenLoaderStyles.text}>{text}</p>
      <Button onClick={onAction}>{actionLabel}</Button>
    </main>
  )
}
