import { Button } from '../ui/buttons/button.tsx'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import { productName } from '../ui/product.ts'
import type { InstallOffer as Offer } from './install-prompt.ts'
import styles from './offer.module.css'

/** One unobtrusive line if the browser can install the app. */
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
