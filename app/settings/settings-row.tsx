import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { Icon } from '../ui/icons/icon.tsx'
import type { IconName } from '../ui/icons/icon-paths.ts'
import styles from './settings.module.css'

type SettingsRowProps = {
  icon: IconName
  name: string
  /** A short description. */
  children: ReactNode
} & ({ to: string } | { onClick(): void })

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
    <Link className={styles.link} to={use.to}>
      {inside}
      <Icon name="right" size={18} />
    </Link>
  )
}
