import { useMemo, useState } from 'react'
import { useParams } from 'react-router-dom'
import { SettingsPage } from '../../settings/settings-page.tsx'
import { SettingsSectionPage } from '../../settings/settings-section-page.tsx'
import { sectionWords, settingsSections } from '../../settings/settings-sections.ts'
import { useMediaQuery } from '../../ui/hooks/use-media-query.ts'
import { NotFoundPage } from '../layout/not-found-page.tsx'
import { PageFrame } from '../layout/page-frame.tsx'
import { SignOutDialog } from '../main-menu/sign-out-dialog.tsx'
import { useWayUp } from '../navigation/use-way-up.tsx'
import { chooseTheme, darkSystem, nameTheme, readTheme, themes } from '../screen/theme.ts'
import { useMessenger } from '../session/messenger-context.tsx'
import { useServices } from '../session/services-context.ts'
import { useSession } from '../session/use-session.ts'
import { useEmojiChoices } from './use-emoji-choices.ts'
import { useLoadingChoice } from './use-loading-choice.ts'

const namedThemes = themes.map((value) => ({
  value,
  name: value === 'system' ? 'System default' : nameTheme(value),
}))

export function SettingsRoute() {
  const { section: wanted } = useParams()
  const { own, notifications } = useServices()
  const session = useSession()
  const messenger = useMessenger()
  const loading = useLoadingChoice()
  const goUp = useWayUp()
  const [isLeaving, setIsLeaving] = useState(false)
  const sessions = useMemo(
    () => ({ list: own.listSessions, end: own.endSession, endOthers: own.endOtherSessions }),
    [own],
  )
  const section = settingsSections.find((name) => name === wanted)
  if (!session) return null
  if (wanted !== undefined && !section) return <NotFoundPage />
  return (
    <PageFrame section="settings" title={section ? sectionWords[section].name : 'Settings'}>
      {section ? (
        <SettingsSectionPage
          key={section}
          section={section}
          user={session.user}
          sessions={sessions}
          readUsage={own.readUsage}
          messenger={messenger}
          loading={loading}
          notifications={notifications}
          onLogout={() => setIsLeaving(true)}
          onBack={() => goUp({ to: '/settings' })}
        />
      ) : (
        <ThemedSettingsPage onBack={() => goUp({ to: '/chat' })} />
      )}
      {isLeaving && <SignOutDialog onClose={() => setIsLeaving(false)} />}
    </PageFrame>
  )
}

function ThemedSettingsPage({ onBack }: { onBack(): void }) {
  const [theme, setTheme] = useState(readTheme)
  const isSystemDark = useMediaQuery(darkSystem)
  const choices = useEmojiChoices()
  return (
    <SettingsPage
      choices={choices}
      themes={namedThemes}
      systemNow={isSystemDark ? 'dark' : 'light'}
      theme={theme}
      onTheme={(value) => {
        const chosen = themes.find((theme) => theme === value)
        if (!chosen) return
        chooseTheme(chosen)
        setTheme(chosen)
      }}
      onBack={onBack}
    />
  )
}
