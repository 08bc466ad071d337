import { Button } from '../ui/buttons/button.tsx'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import { productName } from '../ui/product.ts'
import type { AppUpdate } from './app-update.ts'
import styles from './offer.module.css'

/** One unobtrusive line while a newer version is ready. */
export function UpdateOffer({ update }: { update: AppUpdate }) {
  if (useLiveValue(update) === 'none') return null
  return (
    <div className={styles.offer} role="status">
      <span className={styles.words}>A new version of {productName} is ready.</span>
      <Button onClick={update.apply}>Update now</Button>
    </div>
  )
}
