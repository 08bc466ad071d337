import { type ReactNode, useState } from 'react'
import { Link } from 'react-router-dom'
import { Icon } from '../ui/icons/icon.tsx'
import { Avatar } from '../ui/people/avatar.tsx'
import { joinClassNames } from '../ui/styles/join-class-names.ts'
import styles from './settings.module.css'
import { SettingsRow } from './settings-row.tsx'
import { findSettings, type SettingsSection, sectionWords } from './settings-sections.ts'

interface SettingsHomeProps {
  /** Each place begins with the rows that are named for it. Source: decision 61, section 2. */
  place: 'panel' | 'page'
  /** The section that is open beside the list. */
  current?: SettingsSection | undefined
  /** Shown before the title, such as a back button. */
  start: ReactNode
  /** Does this person administer the server? */
  isAdmin: boolean
  own: { name: string; about: string; picture: string | undefined }
  /** What the person has to do about their keys. */
  keyTask: 'unlock' | 'keep' | undefined
  onShortcuts(): void
  onLogout(): void
}

type RowName = SettingsSection | 'shortcuts' | 'logout'

const rowsOf: Record<SettingsHomeProps['place'], readonly RowName[]> = {
  panel: [
    'account',
    'privacy',
    'chats',
    'notifications',
    'shortcuts',
    'help',
    'security',
    'storage',
    'about',
    'logout',
  ],
  page: [
    'account',
    'privacy',
    'security',
    'notifications',
    'storage',
    'help',
    'about',
    'chats',
    'shortcuts',
    'logout',
  ],
}

/** All settings as one list: beside a chat, as a page, and beside the section that is open. */
export function SettingsHome(props: SettingsHomeProps) {
  const { place, current, start, own, keyTask, onShortcuts, onLogout } = props
  const [query, setQuery] = useState('')
  const isAdminShown = props.isAdmin && 'administration'.includes(query.trim().toLowerCase())
  const found = findSettings(query)
  const rows = rowsOf[place].filter((row) => found.has(row))
  // Beside an open section the page's heading is the section's.
  const Title = current ? 'h2' : 'h1'
  return (
    <section className={styles.home} aria-label="Settings">
      <header className={styles.homeHeader}>
        {start}
        <Title className={styles.homeTitle}>Settings</Title>
      </header>
      <div className={styles.body}>
        <Link className={styles.own} to="/profile">
          <Avatar name={own.name} picture={own.picture} size={3.5} />
          <span className={styles.words}>
            <span className={styles.ownName} dir="auto">
              {own.name}
            </span>
            <small dir="auto">{own.about}</small>
          </span>
          <Icon name="right" size={18} />
        </Link>
        {keyTask && (
          <Link className={styles.task} to="/settings/security">
            <Icon name={keyTask === 'keep' ? 'key' : 'lock'} />
            <span className={styles.words}>
              <span>{keyTask === 'keep' ? 'Keep your recovery key' : 'Unlock your messages'}</span>
              <small>
                {keyTask === 'keep'
                  ? 'Without it, a forgotten password locks you out of your messages'
                  : "This device doesn't have your keys yet"}
              </small>
            </span>
            <Icon name="right" size={18} />
          </Link>
        )}
        <search className={styles.search}>
          <Icon name="search" size={18} />
          <input
            type="search"
            name="settings-search"
            placeholder="Search settings"
            aria-label="Search settings"
            autoComplete="off"
            value={query}
            onChange={(event) => setQuery(event.target.value)}
          />
        </search>
        <nav aria-label="Settings">
          <ul className={styles.list}>
            {isAdminShown && (
              <li>
                <SettingsRow icon="users" name="Administration" to="/admin">
                  People, reports, invitations, health
                </SettingsRow>
              </li>
            )}
            {rows.map((row) => (
              <li key={row}>
                {row === 'shortcuts' && (
                  <SettingsRow icon="keyboard" name="Keyboard shortcuts" onClick={onShortcuts}>
                    Quick actions
                  </SettingsRow>
                )}
                {row === 'logout' && (
                  <SettingsRow icon="logout" name="Log out" onClick={onLogout}>
                    Removes your chats from this device
                  </SettingsRow>
                )}
                {row !== 'shortcuts' && row !== 'logout' && (
                  <SettingsRow
                    {...sectionWords[row]}
                    to={`/settings/${row}`}
                    isCurrent={row === current}
                  >
                    {found.get(row) ?? sectionWords[row].about}
                  </SettingsRow>
                )}
              </li>
            ))}
          </ul>
        </nav>
        <p role="status" className={joinClassNames(styles.note, styles.none)}>
          {rows.length === 0 && !isAdminShown && 'No settings found'}
        </p>
      </div>
    </section>
  )
}
