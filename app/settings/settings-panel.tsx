import styles from './settings.module.css'
import { SettingsRow } from './settings-row.tsx'
import { sectionWords } from './settings-sections.ts'

interface SettingsPanelProps {
  onShortcuts(): void
  onLogout(): void
}

/** The settings beside the chats. Source: decision 61, section 2. */
export function SettingsPanel({ onShortcuts, onLogout }: SettingsPanelProps) {
  return (
    <nav className={styles.panel} aria-label="Settings">
      <ul className={styles.list}>
        {(['account', 'privacy', 'chats', 'notifications'] as const).map((section) => (
          <PanelLink key={section} section={section} />
        ))}
        <li>
          <SettingsRow icon="keyboard" name="Keyboard shortcuts" onClick={onShortcuts}>
            Quick actions
          </SettingsRow>
        </li>
        <PanelLink section="help" />
        <li>
          <SettingsRow icon="logout" name="Log out" onClick={onLogout}>
            Removes your chats from this device
          </SettingsRow>
        </li>
      </ul>
    </nav>
  )
}

function PanelLink({ section }: { section: keyof typeof sectionWords }) {
  const { name, about, icon } = sectionWords[section]
  return (
    <li>
      <SettingsRow icon={icon} name={name} to={`/settings/${section}`}>
        {about}
      </SettingsRow>
    </li>
  )
}
