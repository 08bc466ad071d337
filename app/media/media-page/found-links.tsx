import { Icon } from '../../ui/icons/icon.tsx'
import { splitLinks } from '../../ui/text/split-links.ts'
import { stripStyles } from '../../ui/text/strip-styles.ts'
import { FoundNote } from './found-note.tsx'
import type { FoundProps } from './found-props.ts'
import styles from './media-page.module.css'

/** A message's links, each once, with the surrounding text. */
export function FoundLinks({ message, author, onGoToMessage }: Omit<FoundProps, 'messenger'>) {
  const parts = splitLinks(message.content)
  const links = [...new Set(parts.flatMap(({ href }) => href ?? []))]
  const words = parts.some(({ href, text }) => href === undefined && text.trim() !== '')
  return (
    <div className={styles.found}>
      {links.map((href) => (
        <a key={href} className={styles.link} href={href} target="_blank" rel="noreferrer noopener">
          <Icon name="link" size={20} />
          <span dir="auto">{href}</span>
        </a>
      ))}
      {words && (
        <p className={styles.words} dir="auto">
          {stripStyles(message.content)}
        </p>
      )}
      <FoundNote message={message} author={author} onGoToMessage={onGoToMessage} />
    </div>
  )
}
