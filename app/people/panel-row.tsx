import type { MouseEvent, ReactNode } from 'react'
import { Icon } from '../ui/icons/icon.tsx'
import type { IconName } from '../ui/icons/icon-paths.ts'
import { joinClassNames } from '../ui/styles/join-class-names.ts'
import styles from './contact-panel.module.css'

interface PanelRowProps {
  icon: IconName
  label: string
  /** Beneath the label. */
  note?: string | undefined
  /** At the end of the row, such as a count. */
  end?: string | undefined
  isDanger?: boolean
  /** Does it lead to another page? */
  isWay?: boolean
  /** For a row that shows and hides something. */
  isExpanded?: boolean
  /** What a press opens over the page. */
  opens?: 'menu' | 'dialog' | undefined
  /** Does the end stand out, as what waits for an answer? */
  isNew?: boolean
  onClick(event: MouseEvent<HTMLElement>): void
  /** What it shows beneath itself. */
  children?: ReactNode
}

/** One action of the contact panel. */
export function PanelRow(props: PanelRowProps) {
  const { icon, label, note, end, isExpanded, isWay } = props
  return (
    <li>
      <button
        type="button"
        className={joinClassNames(styles.row, props.isDanger && styles.isDanger)}
        aria-expanded={isExpanded}
        aria-haspopup={props.opens}
        onClick={props.onClick}
      >
        <Icon name={icon} size={22} />
        <span className={styles.rowWords}>
          {label}
          {note && <small>{note}</small>}
        </span>
        {end && (
          <span className={joinClassNames(styles.rowEnd, props.isNew && styles.isNew)}>{end}</span>
        )}
        {isWay && <Icon name="right" size={18} />}
        {isExpanded !== undefined && <Icon name={isExpanded ? 'up' : 'chevron'} size={18} />}
      </button>
      {props.children}
    </li>
  )
}
