import { DownloadLink } from '../ui/buttons/download-link.tsx'
import { Icon } from '../ui/icons/icon.tsx'
import styles from './promo-card.module.css'

/** The card above the sign-in form that promotes the desktop app. */
export function PromoCard() {
  return (
    <aside className={styles.card} aria-label="Desktop app">
      <span className={styles.icon}>
        <Icon name="download" />
      </span>
      <div className={styles.words}>
        <p className={styles.title}>Download WhatsApp for Windows</p>
        <p className={styles.text}>
          Make calls, share your screen and get a faster experience when you download the Windows
          app.
        </p>
      </div>
      <DownloadLink />
    </aside>
  )
}
