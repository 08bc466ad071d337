import { desktopAppUrl } from '../product.ts'
import styles from './download-link.module.css'

/** Leads to the desktop app at its store, in a tab of its own. Source: section 2 of the specification. */
export function DownloadLink() {
  return (
    <a className={styles.download} href={desktopAppUrl} target="_blank" rel="noreferrer">
      Download
    </a>
  )
}
