import { joinClassNames } from '../styles/join-class-names.ts'
import styles from './link-card.module.css'

interface LinkCardProps {
  url: string
  title: string
  description?: string | undefined
  /** A data URL. */
  picture?: string | undefined
  /** Does a press open the page? */
  isLink?: boolean
}

/** What the page behind an address says of itself, and the host that the address leads to. */
export function LinkCard({ url, title, description, picture, isLink }: LinkCardProps) {
  const words = (
    <>
      {picture && <img className={styles.picture} src={picture} alt="" />}
      <span className={styles.words}>
        <span className={styles.title} dir="auto">
          {title}
        </span>
        {description && (
          <span className={styles.description} dir="auto">
            {description}
          </span>
        )}
        <span className={styles.host} dir="ltr">
          {hostOf(url)}
        </span>
      </span>
    </>
  )
  const className = joinClassNames(styles.card, isLink && styles.link)
  if (!isLink) return <div className={className}>{words}</div>
  return (
    <a className={className} href={url} target="_blank" rel="noreferrer noopener">
      {words}
    </a>
  )
}

/** Its letters as they are looked up: one in another alphabet shows. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host.replace(/^www\./, '') : ''
}
