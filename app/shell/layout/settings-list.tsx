import { lazy, type ReactNode, Suspense, useState } from 'react'
import { readAbout } from '../../../schema/user.ts'
import { SettingsHome } from '../../settings/settings-home.tsx'
import type { SettingsSection } from '../../settings/settings-sections.ts'
import { SignOutDialog } from '../main-menu/sign-out-dialog.tsx'
import { useOwnFace } from '../navigation/use-own-profile.ts'
import { useKeyTask } from '../session/messenger-context.tsx'

const ShortcutsDialog = lazy(() =>
  import('../navigation/shortcuts-dialog.tsx').then((module) => ({
    default: module.ShortcutsDialog,
  })),
)

interface SettingsListProps {
  place: 'panel' | 'page'
  /** The section that is open beside the list. */
  current?: SettingsSection | undefined
  start: ReactNode
}

/** The list of the settings, with the signed-in person and what it opens. */
export function SettingsList({ place, current, start }: SettingsListProps) {
  const [opened, setOpened] = useState<'shortcuts' | 'sign-out'>()
  const { user, picture } = useOwnFace()
  const close = () => setOpened(undefined)
  return (
    <>
      <SettingsHome
        place={place}
        current={current}
        start={start}
        own={{
          name: user?.username ?? '',
          about: (user && (readAbout(user) || user.email)) ?? '',
          picture,
        }}
        keyTask={useKeyTask()}
        isAdmin={user?.isAdmin === true}
        onShortcuts={() => setOpened('shortcuts')}
        onLogout={() => setOpened('sign-out')}
      />
      {opened === 'sign-out' && <SignOutDialog onClose={close} />}
      {opened === 'shortcuts' && (
        <Suspense fallback={null}>
          <ShortcutsDialog onClose={close} />
        </Suspense>
      )}
    </>
  )
}
