import styles from './full-screen-loader.module.css'
import { PetrelMark } from './petrel-mark.tsx'

export function FullScreenLoader({ text }: { text: string }) {
  return (
    <main className={styles.loader}>
      <PetrelMark size={56} />
      <p className={styles.text} role="status">
        {text}
      </p>
    </main>
  )
}
