import { desktopAppUrl } from '../product.ts'
import styles from './download-link.module.css'

/** Opens the desktop app's store page in a new tab. Source: decision 61, section 2. */
export function DownloadLink() {
  return (
    <a className={styles.download} href={desktopAppUrl} target="_blank" rel="noreferrer">
      Download
    </a>
  )
}
