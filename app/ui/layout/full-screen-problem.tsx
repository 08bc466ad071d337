import { Button } from '../buttons/button.tsx'
import { PetrelMark } from '../icons/petrel-mark.tsx'
import styles from './full-screen-loader.module.css'

interface FullScreenProblemProps {
  title: string
  text: string
  actionLabel: string
  onAction(): void
}

export function FullScreenProblem({ title, text, actionLabel, onAction }: FullScreenProblemProps) {
  return (
    <main className={styles.loader}>
      <PetrelMark size={56} />
      <h1 className={styles.title}>{title}</h1>
      <p className={styles.text}>{text}</p>
      <Button onClick={onAction}>{actionLabel}</Button>
    </main>
  )
}
