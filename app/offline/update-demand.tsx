import { useEffect } from 'react'
import { Button } from '../ui/buttons/button.tsx'
import { joinClassNames } from '../ui/styles/join-class-names.ts'
import type { AppUpdate } from './app-update.ts'
import styles from './offer.module.css'

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
