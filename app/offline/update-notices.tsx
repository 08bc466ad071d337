import { useEffect } from 'react'
import { Button } from '../ui/buttons/button.tsx'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import { productName } from '../ui/product.ts'
import { joinClassNames } from '../ui/styles/join-class-names.ts'
import type { AppUpdate } from './app-update.ts'
import styles from './offer.module.css'
import { partsOnTheWay } from './parts-on-the-way.ts'

/** One line while the server serves no version of the app as old as this one. */
export function UpdateDemand(props: { update: AppUpdate; words: string; isBar?: boolean }) {
  const { update, words, isBar } = props
  // The newer version is then on the device before the click.
  useEffect(() => update.look(), [update])
  return (
    <div className={joinClassNames(styles.offer, isBar && styles.bar)}>
      <span className={styles.words}>{words}</span>
      <Button onClick={update.apply}>Update now</Button>
    </div>
  )
}

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

/** One line, above everything, while a part of a first visit's page can't be fetched. */
export function PartsNotice() {
  if (!useLiveValue(partsOnTheWay)) return null
  return (
    <div className={styles.onTheWay} role="status">
      Still loading {productName}. It goes on when your connection is back.
    </div>
  )
}
