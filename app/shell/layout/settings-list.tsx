import { lazy, type ReactNode, Suspense, useState } from 'react'
import { SettingsPanel } from '../../settings/settings-panel.tsx'
import { SignOutDialog } from '../main-menu/sign-out-dialog.tsx'
import list from './chat-layout.module.css'

const ShortcutsDialog = lazy(() =>
  import('../shortcuts/shortcuts-dialog.tsx').then((module) => ({
    default: module.ShortcutsDialog,
  })),
)

/** The settings in the list's place. */
export function SettingsList({ start }: { start: ReactNode }) {
  const [opened, setOpened] = useState<'shortcuts' | 'sign-out'>()
  const close = () => setOpened(undefined)
  return (
    <section className={list.placeholder} aria-label="Settings">
      <header className={list.placeholderHeader}>
        {start}
        <h1>Settings</h1>
      </header>
      <SettingsPanel
        onShortcuts={() => setOpened('shortcuts')}
        onLogout={() => setOpened('sign-out')}
      />
      {opened === 'sign-out' && <SignOutDialog onClose={close} />}
      {opened === 'shortcuts' && (
        <Suspense fallback={null}>
          <ShortcutsDialog onClose={close} />
        </Suspense>
      )}
    </section>
  )
}
