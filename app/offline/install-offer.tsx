import { useEffect } from 'react'
import { Button } from '../ui/buttons/button.tsx'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import { productName } from '../ui/product.ts'
import { joinClassNames } from '../ui/styles/join-class-names.ts'
import type { InstallOffer as Offer } from './install-prompt.ts'
import styles from './offer.module.css'

/** What installing gives and how it is done, if the browser can install the app. */
export function InstallOffer({ offer }: { offer: Offer }) {
  const way = useLiveValue(offer)
  const isShown = way !== 'none'
  useEffect(() => {
    if (isShown) offer.recordShown()
  }, [isShown, offer])
  if (!isShown) return null
  return (
    <aside
      className={joinClassNames(styles.offer, way === 'hint' && styles.hasSteps)}
      aria-label={`Install ${productName}`}
    >
      {way === 'prompt' ? (
        <span className={styles.words}>
          Install {productName} as an app: its own window and icon, and it opens without a network.
        </span>
      ) : (
        <div className={styles.words}>
          <p>Install {productName} as an app: its own icon, full screen, and notifications.</p>
          <AppleInstallSteps />
        </div>
      )}
      {way === 'prompt' && <Button onClick={() => void offer.install()}>Install</Button>}
      <IconButton icon="close" label="Not now" onClick={offer.dismiss} />
    </aside>
  )
}

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

/** Safari shows no prompt, and gives the installed app a storage of its own. */
export function AppleInstallSteps() {
  return (
    <ol className={styles.steps}>
      <li>Tap Share in Safari's toolbar.</li>
      <li>Choose “Add to Home Screen”, then “Add”.</li>
      <li>
        Open {productName} from its icon and sign in. Your chats come from the server: the app and
        Safari keep separate copies. Let unsent messages send here first.
      </li>
    </ol>
  )
}
