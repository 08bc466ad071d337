import type { ReactNode } from 'react'
import list from './chat-layout.module.css'
import styles from './empty-pane.module.css'

interface PlaceholderPanelProps {
  title: string
  text: string
  start?: ReactNode
}

/** An empty section in the list's place. */
export function PlaceholderPanel({ title, text, start }: PlaceholderPanelProps) {
  return (
    <section className={list.placeholder} aria-label={title}>
      <header className={list.placeholderHeader}>
        {start}
        <h1>{title}</h1>
      </header>
      <p className={styles.words}>{text}</p>
    </section>
  )
}
