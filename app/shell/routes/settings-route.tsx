import { useMemo, useState } from 'react'
import { useParams } from 'react-router-dom'
import { suggestedModes, suggestedNames } from '../../emoji/catalogue/emoji-categories.ts'
import { changeEmojiSettings, emojiSettings } from '../../emoji/catalogue/emoji-settings.ts'
import { emojiStyles, findObstacle, nameStyle } from '../../emoji/catalogue/emoji-styles.ts'
import { saveFile } from '../../media/files/save-file.ts'
import { chooseLoading, loadingChoice } from '../../media/loading/loading-choice.ts'
import { networkType } from '../../media/loading/network-type.ts'
import type { RadioChoiceProps } from '../../settings/radio-choice.tsx'
import { SettingsPage } from '../../settings/settings-page.tsx'
import { SettingsSectionPage } from '../../settings/settings-section-page.tsx'
import { sectionWords, settingsSections } from '../../settings/settings-sections.ts'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { useMediaQuery } from '../../ui/hooks/use-media-query.ts'
import { NotFoundPage } from '../layout/not-found-page.tsx'
import { PageFrame } from '../layout/page-frame.tsx'
import { SignOutDialog } from '../main-menu/sign-out-dialog.tsx'
import { useWayUp } from '../navigation/use-way-up.tsx'
import { chooseTheme, darkSystem, nameTheme, readTheme, themes } from '../screen/theme.ts'
import { useMessenger } from '../session/messenger-context.tsx'
import { useServices } from '../session/services-context.ts'
import { useSession } from '../session/use-session.ts'

const styleOptions = emojiStyles.map((value) => ({
  value,
  name: nameStyle(value),
  obstacle: findObstacle(value),
}))

const modeOptions = suggestedModes.map((value) => ({ value, name: suggestedNames[value] }))

const namedThemes = themes.map((value) => ({
  value,
  name: value === 'system' ? 'System default' : nameTheme(value),
}))

export function SettingsRoute() {
  const { section: wanted } = useParams()
  const { own, notifications, push } = useServices()
  const session = useSession()
  const messenger = useMessenger()
  const loading = useLoadingChoice()
  const goUp = useWayUp()
  const [isLeaving, setIsLeaving] = useState(false)
  const sessions = useMemo(
    () => ({ list: own.listSessions, end: own.endSession, endOthers: own.endOtherSessions }),
    [own],
  )
  const account = useAccount()
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
          account={account}
          sessions={sessions}
          readUsage={own.readUsage}
          messenger={messenger}
          loading={loading}
          notifications={notifications}
          push={push}
          settings={messenger.settings}
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

/** What the section Account can do. */
function useAccount() {
  const { own } = useServices()
  const { connection, archive } = useMessenger()
  return {
    isOffline: () => connection.getSnapshot().state === 'offline',
    changeEmail: own.changeEmail,
    changePassword: own.changePassword,
    archive,
    saveFile,
  }
}

/** This device's settings for the emoji style and for the picker's first section. */
function useEmojiChoices(): RadioChoiceProps[] {
  const { style, suggestedMode } = useLiveValue(emojiSettings)
  return [
    {
      legend: 'Emoji style',
      options: styleOptions,
      value: style,
      note: 'Used in the emoji picker. Twemoji © Twitter and contributors, CC-BY 4.0. Noto Emoji © Google, Apache License 2.0.',
      onChoose(value) {
        const chosen = emojiStyles.find((each) => each === value)
        if (chosen) changeEmojiSettings({ style: chosen })
      },
    },
    {
      legend: 'The emoji picker begins with',
      options: modeOptions,
      value: suggestedMode,
      onChoose(value) {
        const chosen = suggestedModes.find((mode) => mode === value)
        if (chosen) changeEmojiSettings({ suggestedMode: chosen })
      },
    },
  ]
}

/**
 * This device's setting for automatic downloads of pictures and voice messages; offers Wi-Fi where
 * the browser reports the network type.
 */
function useLoadingChoice(): RadioChoiceProps {
  const chosen = useLiveValue(loadingChoice)
  const canTellWifi = useLiveValue(networkType) !== undefined
  return {
    legend: 'Download pictures and voice messages',
    options: [
      { value: 'always', name: 'Always' },
      ...(canTellWifi ? [{ value: 'wifi', name: 'On Wi-Fi' }] : []),
      { value: 'never', name: 'Never' },
    ],
    value: chosen === 'wifi' && !canTellWifi ? 'always' : chosen,
    note: 'Videos and documents are downloaded when you ask for them.',
    onChoose: chooseLoading,
  }
}
