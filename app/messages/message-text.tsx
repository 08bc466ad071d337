import { highlight } from '../database/search/highlight.ts'
import { MarkedText } from '../ui/marked-text.tsx'
import styles from './message.module.css'
import { splitLinks } from './split-links.ts'

interface MessageTextProps {
  text: string
  /** What is searched for; empty when nothing is. */
  markQuery: string
}

/** The words of a message, with web addresses as links, and what is searched for marked. */
export function MessageText({ text, markQuery }: MessageTextProps) {
  const parts = text.includes('://') ? splitLinks(text) : [{ text }]
  let position = 0
  return (
    <span className={styles.text} dir="auto">
      {parts.map((part) => {
        const key = position
        position += part.text.length
        const words =
          markQuery === '' ? (
            part.text
          ) : (
            <MarkedText key={key} text={part.text} marks={highlight(part.text, markQuery)} />
          )
        if (!('href' in part)) return words
        return (
          <a key={key} href={part.href} target="_blank" rel="noreferrer noopener">
            {words}
          </a>
        )
      })}
    </span>
  )
}
