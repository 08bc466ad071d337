import { Link } from 'react-router-dom'
import { Icon } from '../ui/icons/icon.tsx'
import type { IconName } from '../ui/icons/icon-paths.ts'
import styles from './settings.module.css'
import { sectionWords } from './settings-sections.ts'

interface SettingsPanelProps {
  onShortcuts(): void
  onLogout(): void
}

/** The settings beside the chats. Source: section 2 of the specification. */
export function SettingsPanel({ onShortcuts, onLogout }: SettingsPanelProps) {
  return (
    <nav className={styles.panel} aria-label="Settings">
      <ul className={styles.list}>
        {(['account', 'privacy', 'chats', 'notifications'] as const).map((section) => (
          <PanelLink key={section} section={section} />
        ))}
        <PanelButton
          icon="keyboard"
          name="Keyboard shortcuts"
          about="Quick actions"
          onClick={onShortcuts}
        />
        <PanelLink section="help" />
        <PanelButton
          icon="logout"
          name="Log out"
          about="Removes your chats from this device"
          onClick={onLogout}
        />
      </ul>
    </nav>
  )
}

function PanelLink({ section }: { section: keyof typeof sectionWords }) {
  const { name, about, icon } = sectionWords[section]
  return (
    <li>
      <Link className={styles.link} to={`/settings/${section}`}>
        <Icon name={icon} />
        <span className={styles.words}>
          <span>{name}</span>
          <small>{about}</small>
        </span>
        <Icon name="right" size={18} />
      </Link>
    </li>
  )
}

interface PanelButtonProps {
  icon: IconName
  name: string
  about: string
  onClick(): void
}

function PanelButton({ icon, name, about, onClick }: PanelButtonProps) {
  return (
    <li>
      <button type="button" className={styles.link} onClick={onClick}>
        <Icon name={icon} />
        <span className={styles.words}>
          <span>{name}</span>
          <small>{about}</small>
        </span>
      </button>
    </li>
  )
}
