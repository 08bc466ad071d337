import { PetrelMark } from '../icons/petrel-mark.tsx'
import styles from './full-screen-loader.module.css'

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
