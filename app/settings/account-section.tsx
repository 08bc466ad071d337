import { lazy, type ReactNode, Suspense, useState } from 'react'
import { Link } from 'react-router-dom'
import type { EmailChange, PasswordChange } from '../../schema/api/auth.ts'
import type { OwnUser } from '../../schema/user.ts'
import type { Archive } from '../sync/archive/archive-format.ts'
import { Icon } from '../ui/icons/icon.tsx'
import type { IconName } from '../ui/icons/icon-paths.ts'
import styles from './settings.module.css'

const EmailDialog = lazy(() =>
  import('./account/email-dialog.tsx').then((module) => ({ default: module.EmailDialog })),
)
const PasswordDialog = lazy(() =>
  import('./account/password-dialog.tsx').then((module) => ({ default: module.PasswordDialog })),
)
const ExportDialog = lazy(() =>
  import('./account/export-dialog.tsx').then((module) => ({ default: module.ExportDialog })),
)
const ImportDialog = lazy(() =>
  import('./account/import-dialog.tsx').then((module) => ({ default: module.ImportDialog })),
)

export interface AccountSectionProps {
  user: OwnUser
  account: {
    isOffline(): boolean
    /** These reject with words for a person. */
    changeEmail(change: EmailChange): Promise<unknown>
    changePassword(change: PasswordChange): Promise<unknown>
    archive: Archive
    /** Saves bytes to the person's downloads. */
    saveFile(bytes: Blob, name: string): void
  }
  onLogout(): void
}

/** What concerns the account itself. */
export function AccountSection({ user, account, onLogout }: AccountSectionProps) {
  const [opened, setOpened] = useState<'email' | 'password' | 'export' | 'import'>()
  const onClose = () => setOpened(undefined)
  const { isOffline, archive } = account
  return (
    <ul className={styles.list}>
      <li>
        <Link className={styles.link} to="/profile">
          <Icon name="person" />
          <span className={styles.words}>
            <span>{user.username}</span>
            <small>{user.email}</small>
          </span>
          <Icon name="right" size={18} />
        </Link>
      </li>
      <Entry icon="mail" name="Change email" onClick={() => setOpened('email')}>
        You sign in with it. Needs your password
      </Entry>
      <Entry icon="key" name="Change password" onClick={() => setOpened('password')}>
        Logs out your other devices
      </Entry>
      <Entry icon="download" name="Export your data" onClick={() => setOpened('export')}>
        Profile, settings, contacts, chats and files in one zip file
      </Entry>
      <Entry icon="upload" name="Import your data" onClick={() => setOpened('import')}>
        From a Petrel export of this account
      </Entry>
      <li>
        <Link className={styles.link} to="/profile">
          <Icon name="trash" />
          <span className={styles.words}>
            <span>Delete account</span>
            <small>In your profile, under Danger Zone</small>
          </span>
          <Icon name="right" size={18} />
        </Link>
      </li>
      <Entry icon="logout" name="Log out" onClick={onLogout}>
        Removes your chats from this device
      </Entry>
      <Suspense fallback={null}>
        {opened === 'email' && (
          <EmailDialog
            email={user.email}
            isOffline={isOffline}
            onChange={account.changeEmail}
            onClose={onClose}
          />
        )}
        {opened === 'password' && (
          <PasswordDialog
            isOffline={isOffline}
            onChange={account.changePassword}
            onClose={onClose}
          />
        )}
        {opened === 'export' && (
          <ExportDialog
            user={user}
            archive={archive}
            isOffline={isOffline}
            saveFile={account.saveFile}
            onClose={onClose}
          />
        )}
        {opened === 'import' && <ImportDialog archive={archive} onClose={onClose} />}
      </Suspense>
    </ul>
  )
}

interface EntryProps {
  icon: IconName
  name: string
  children: ReactNode
  onClick(): void
}

function Entry({ icon, name, children, onClick }: EntryProps) {
  return (
    <li>
      <button type="button" className={styles.link} onClick={onClick}>
        <Icon name={icon} />
        <span className={styles.words}>
          <span>{name}</span>
          <small>{children}</small>
        </span>
      </button>
    </li>
  )
}
