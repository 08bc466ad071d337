import { useMemo, useState } from 'react'
import { useParams } from 'react-router-dom'
import { SettingsPage } from '../settings/settings-page.tsx'
import { SettingsSectionPage } from '../settings/settings-section-page.tsx'
import { sectionWords, settingsSections } from '../settings/settings-sections.ts'
import { useMediaQuery } from '../ui/use-media-query.ts'
import { useMessenger } from './messenger-context.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import { PageFrame } from './page-frame.tsx'
import { useServices } from './services.ts'
import { SignOutDialog } from './sign-out-dialog.tsx'
import { chooseTheme, darkSystem, nameTheme, readTheme, themes } from './theme.ts'
import { useEmojiChoices } from './use-emoji-choices.ts'
import { useLoadingChoice } from './use-loading-choice.ts'
import { useSession } from './use-session.ts'
import { useWayUp } from './use-way-up.tsx'

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
