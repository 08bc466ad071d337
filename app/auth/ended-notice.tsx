import { Icon } from '../ui/icons/icon.tsx'
import styles from './auth-frame.module.css'

/** Why the person has to sign in although they did not log out. */
export function EndedNotice() {
  return (
    // An alert: screen readers miss a status that comes with its page.
    <p className={styles.ended} role="alert">
      <Icon name="warning" size={20} />
      You've been signed out. Sign in to continue.
    </p>
  )
}
