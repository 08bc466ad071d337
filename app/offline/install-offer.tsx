import { useEffect } from 'react'
import { Button } from '../ui/buttons/button.tsx'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import { productName } from '../ui/product.ts'
import { joinClassNames } from '../ui/styles/join-class-names.ts'
import { AppleInstallSteps } from './apple-install-steps.tsx'
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
