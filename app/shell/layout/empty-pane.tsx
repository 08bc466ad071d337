import { DownloadLink } from '../../ui/buttons/download-link.tsx'
import { Icon } from '../../ui/icons/icon.tsx'
import styles from './empty-pane.module.css'
import { StormPicture } from './storm-picture.tsx'

/** Shown beside the list while no conversation is open. Source: decision 61, section 2. */
export function EmptyPane() {
  return (
    <section className={styles.pane} aria-label="No chat open">
      <StormPicture className={styles.picture} />
      <h2>Download WhatsApp for Windows</h2>
      <p className={styles.text}>
        Make calls, share your screen and get a faster experience when you download the Windows app.
      </p>
      <DownloadLink />
      <p className={styles.note}>
        <Icon name="lock" size={14} /> Your personal messages are end-to-end encrypted
      </p>
    </section>
  )
}

/** Shown beside the panel of the settings. Source: decision 61, section 2. */
export function SettingsPane() {
  return (
    <section className={styles.pane} aria-label="No setting open">
      <span className={styles.icon}>
        <Icon name="settings" size={72} />
      </span>
      <h2>Settings</h2>
    </section>
  )
}
