import { PetrelMark } from '../icons/petrel-mark.tsx'
import styles from './full-screen-loader.module.css'

/** `index.html` draws the same for the first paint, before any other file: the two change together. */
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
