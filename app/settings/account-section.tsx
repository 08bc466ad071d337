import { lazy, Suspense, useState } from 'react'
import type { TypedPasswordChange } from '../../schema/api/auth.ts'
import type { OwnUser } from '../../schema/user.ts'
import type { Archive } from '../sync/archive/archive-format.ts'
import styles from './settings.module.css'
import { SettingsRow } from './settings-row.tsx'

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
    changeEmail(change: { email: string; password: string }): Promise<unknown>
    changePassword(change: TypedPasswordChange): Promise<unknown>
    archive: Archive
    /** Saves bytes to the person's downloads. */
    saveFile(bytes: Blob, name: string): void
  }
}

/** What concerns the account itself. */
export function AccountSection({ user, account }: AccountSectionProps) {
  const [opened, setOpened] = useState<'email' | 'password' | 'export' | 'import'>()
  const onClose = () => setOpened(undefined)
  const { isOffline, archive } = account
  return (
    <ul className={styles.list}>
      <li>
        <SettingsRow icon="person" name={user.username} to="/profile">
          {user.email}
        </SettingsRow>
      </li>
      <li>
        <SettingsRow icon="mail" name="Change email" onClick={() => setOpened('email')}>
          You sign in with it. Needs your password
        </SettingsRow>
      </li>
      <li>
        <SettingsRow icon="key" name="Change password" onClick={() => setOpened('password')}>
          Logs out your other devices
        </SettingsRow>
      </li>
      <li>
        <SettingsRow icon="download" name="Export your data" onClick={() => setOpened('export')}>
          Profile, settings, contacts, chats and files in one zip file
        </SettingsRow>
      </li>
      <li>
        <SettingsRow icon="upload" name="Import your data" onClick={() => setOpened('import')}>
          From a Petrel export of this account
        </SettingsRow>
      </li>
      <li>
        <SettingsRow icon="trash" name="Delete account" to="/profile">
          In your profile, under Danger Zone
        </SettingsRow>
      </li>
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
