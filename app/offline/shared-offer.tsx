import { Button } from '../ui/buttons/button.tsx'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import styles from './offer.module.css'

/** One unobtrusive line while a shared item is pending. */
export function SharedOffer({ onChoose, onDiscard }: { onChoose(): void; onDiscard(): void }) {
  return (
    <aside className={styles.offer} aria-label="Shared">
      <span className={styles.words}>Something you shared hasn't been sent yet.</span>
      <Button onClick={onChoose}>Share</Button>
      <IconButton icon="close" label="Discard" onClick={onDiscard} />
    </aside>
  )
}
