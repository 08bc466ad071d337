import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { useSendsOnEnter } from '../ui/hooks/kept-settings.ts'
import { Icon } from '../ui/icons/icon.tsx'
import type { IconName } from '../ui/icons/icon-paths.ts'
import { listShortcuts } from '../ui/shortcuts/shortcut-words.ts'
import styles from './settings.module.css'

type SettingsRowProps = {
  icon: IconName
  name: string
  /** A short description. */
  children: ReactNode
} & ({ to: string; isCurrent?: boolean } | { onClick(): void })

/** One row of the settings: leads to a page, or does something here. */
export function SettingsRow({ icon, name, children, ...use }: SettingsRowProps) {
  const inside = (
    <>
      <Icon name={icon} />
      <span className={styles.words}>
        <span>{name}</span>
        <small>{children}</small>
      </span>
    </>
  )
  if ('onClick' in use) {
    return (
      <button type="button" className={styles.link} onClick={use.onClick}>
        {inside}
      </button>
    )
  }
  return (
    <Link
      className={styles.link}
      to={use.to}
      aria-current={use.isCurrent ? 'page' : undefined}
      // Beside its section the list stays: one step back leaves them all.
      replace={use.isCurrent}
    >
      {inside}
      <Icon name="right" size={18} />
    </Link>
  )
}

interface FactListProps {
  facts: readonly { name: string; about: string }[]
}

export function FactList({ facts }: FactListProps) {
  return (
    <dl className={styles.facts}>
      {facts.map(({ name, about }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{about}</dd>
        </div>
      ))}
    </dl>
  )
}

export function ShortcutList() {
  const sendsOnEnter = useSendsOnEnter()
  return (
    <dl className={styles.keys}>
      {listShortcuts(sendsOnEnter).map(({ keys, does }) => (
        <div key={keys}>
          <dt>{does}</dt>
          <dd>{keys}</dd>
        </div>
      ))}
    </dl>
  )
}
