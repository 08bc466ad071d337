import { Button } from '../ui/button.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { productName } from '../ui/product.ts'
import { useLiveValue } from '../ui/use-live-value.ts'
import type { InstallOffer as Offer } from './create-install-offer.ts'
import styles from './offer.module.css'

/** One quiet line where the browser can install the app. */
export function InstallOffer({ offer }: { offer: Offer }) {
  const way = useLiveValue(offer)
  if (way === 'none') return null
  return (
    <aside className={styles.offer} aria-label={`Install ${productName}`}>
      <span className={styles.words}>
        {way === 'prompt'
          ? `Install ${productName} as an app`
          : `To install ${productName}: Share, then “Add to Home Screen”.`}
      </span>
      {way === 'prompt' && <Button onClick={() => void offer.install()}>Install</Button>}
      <IconButton icon="close" label="Not now" onClick={offer.dismiss} />
    </aside>
  )
}
