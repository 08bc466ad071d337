import { productName } from '../ui/product.ts'
import styles from './offer.module.css'

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
