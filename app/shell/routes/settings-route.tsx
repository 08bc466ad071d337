import { useState } from 'react'
import { useParams } from 'react-router-dom'
import { saveFile } from '../../media/files/save-file.ts'
import { AppleInstallSteps } from '../../offline/apple-install-steps.tsx'
import { SettingsPage } from '../../settings/settings-page.tsx'
import { SettingsSectionPage } from '../../settings/settings-section-page.tsx'
import { sectionWords, settingsPages } from '../../settings/settings-sections.ts'
import { NotFoundPage } from '../layout/not-found-page.tsx'
import { PageFrame } from '../layout/page-frame.tsx'
import { SignOutDialog } from '../main-menu/sign-out-dialog.tsx'
import { useWayUp } from '../navigation/use-way-up.tsx'
import { useChatChoices } from '../preferences/use-chat-choices.ts'
import { useKeepingChoice } from '../preferences/use-keeping-choice.ts'
import { useLoadingChoices } from '../preferences/use-loading-choices.ts'
import { writeReport } from '../preferences/write-report.ts'
import { useMessenger } from '../session/messenger-context.tsx'
import { useServices } from '../session/services-context.ts'
import { useSession } from '../session/use-session.ts'
import { useSignIns } from '../session/use-sign-ins.ts'

export function SettingsRoute() {
  const { section: wanted } = useParams()
  const { own, notifications, push } = useServices()
  const session = useSession()
  const messenger = useMessenger()
  const loading = [...useLoadingChoices(), useKeepingChoice()]
  const choices = useChatChoices()
  const goUp = useWayUp()
  const [isLeaving, setIsLeaving] = useState(false)
  const signIns = useSignIns()
  const account = useAccount()
  const section = settingsPages.find((name) => name === wanted)
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
          signIns={signIns}
          readUsage={own.readUsage}
          messenger={messenger}
          loading={loading}
          choices={choices}
          supportEmail={session.user.supportEmail}
          writeReport={() => writeReport(messenger)}
          notifications={notifications}
          push={push}
          settings={messenger.settings}
          installSteps={<AppleInstallSteps />}
          onLogout={() => setIsLeaving(true)}
          onBack={() => goUp({ to: '/settings' })}
        />
      ) : (
        <ChosenSettingsPage onBack={() => goUp({ to: '/chat' })} />
      )}
      {isLeaving && <SignOutDialog onClose={() => setIsLeaving(false)} />}
    </PageFrame>
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

function ChosenSettingsPage({ onBack }: { onBack(): void }) {
  return <SettingsPage choices={useChatChoices()} onBack={onBack} />
}
