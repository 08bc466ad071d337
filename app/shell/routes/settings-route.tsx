import { lazy, Suspense, useEffect } from 'react'
import { useParams } from 'react-router-dom'
import { saveFile } from '../../media/files/save-file.ts'
import { AppleInstallSteps } from '../../offline/install-offer.tsx'
import { readAppFingerprint } from '../../offline/read-app-fingerprint.ts'
import { SettingsSectionPage } from '../../settings/settings-section-page.tsx'
import { sectionWords, settingsPages } from '../../settings/settings-sections.ts'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import { useLivePart } from '../../ui/hooks/use-live-value.ts'
import { useMediaQuery } from '../../ui/hooks/use-media-query.ts'
import { joinClassNames } from '../../ui/styles/join-class-names.ts'
import { BottomBar } from '../layout/bottom-bar.tsx'
import { NotFoundPage } from '../layout/not-found-page.tsx'
import { PageFrame } from '../layout/page-frame.tsx'
import { BeforeLeaving, type PaneMotion, usePaneMotion } from '../layout/pane-motion.ts'
import { SettingsList } from '../layout/settings-list.tsx'
import { countUnreadChats } from '../navigation/use-unread-total.ts'
import { useWayUp } from '../navigation/use-way-up.tsx'
import { UnlockCode } from '../preferences/unlock-code.tsx'
import { useChatChoices } from '../preferences/use-chat-choices.ts'
import { useKeepingChoice } from '../preferences/use-keeping-choice.ts'
import { useLoadingChoices } from '../preferences/use-loading-choices.ts'
import { useOwnEncryption } from '../preferences/use-own-encryption.ts'
import { writeReport } from '../preferences/write-report.ts'
import { narrowScreen, phoneScreen } from '../screen/narrow-screen.ts'
import { useMessenger, useSignIns } from '../session/messenger-context.tsx'
import { useServices, useSession } from '../session/services-context.ts'
import styles from './settings-route.module.css'

/** Alone, as the chats load it: with what the settings load, a chat would fetch what later screens share. */
const SettingsPane = lazy(() =>
  import('../layout/empty-pane.tsx').then((module) => ({ default: module.SettingsPane })),
)

export function SettingsRoute() {
  const { section: wanted } = useParams()
  const { own, notifications, push } = useServices()
  const session = useSession()
  const messenger = useMessenger()
  const loading = [...useLoadingChoices(), useKeepingChoice()]
  const choices = useChatChoices()
  const goUp = useWayUp()
  const isNarrow = useMediaQuery(narrowScreen)
  const signIns = useSignIns()
  const account = useAccount()
  const encryption = useOwnEncryption()
  const section = settingsPages.find((name) => name === wanted)
  const isPhone = useMediaQuery(phoneScreen)
  const unreadChats = useLivePart(messenger.conversations, countUnreadChats)
  const motion = usePaneMotion({ isShown: section !== undefined, isNarrow })
  if (!session) return null
  if (wanted !== undefined && !section) return <NotFoundPage />
  const page = section && (
    <SettingsSectionPage
      key={section}
      section={section}
      user={session.user}
      account={account}
      signIns={signIns}
      encryption={encryption}
      unlockCode={<UnlockCode />}
      readUsage={own.readUsage}
      messenger={messenger}
      loading={loading}
      choices={choices}
      supportEmail={session.user.supportEmail}
      writeReport={() => writeReport(messenger)}
      writeTrace={() => JSON.stringify(messenger.readTrace(), undefined, 1)}
      readFingerprint={readAppFingerprint}
      notifications={notifications}
      push={push}
      settings={messenger.settings}
      installSteps={<AppleInstallSteps />}
      onBack={() => goUp({ to: '/settings' })}
    />
  )
  const list = (
    <SettingsList
      place="page"
      current={section}
      start={<IconButton icon="back" label="Back to chats" onClick={() => goUp({ to: '/chat' })} />}
    />
  )
  return (
    <PageFrame section="settings" title={section ? sectionWords[section].name : 'Settings'}>
      {/* One tree for all widths: what is open in a section outlives a turn of the device. */}
      <div className={styles.house}>
        {(!isNarrow || !page || motion.phase !== 'still') && (
          <div className={joinClassNames(styles.list, page && motion.classNames.beneath)}>
            <div className={styles.listBody}>{list}</div>
            {isPhone && <BottomBar current="settings" unreadChats={unreadChats} />}
          </div>
        )}
        <section
          ref={motion.pane}
          className={joinClassNames(
            styles.section,
            isNarrow && !page && styles.away,
            motion.classNames.pane,
          )}
          onAnimationEnd={motion.onAnimationEnd}
        >
          {page && <AroundPage onLeave={motion.onLeave} onDrawn={motion.onDrawn} />}
          {page}
          {!page && !isNarrow && (
            <Suspense fallback={null}>
              <SettingsPane />
            </Suspense>
          )}
        </section>
        <div
          ref={motion.leaving}
          className={joinClassNames(styles.leaving, motion.classNames.leaving)}
          aria-hidden="true"
        />
      </div>
    </PageFrame>
  )
}

/** Draws nothing: tells when the section beside it is drawn, and before it goes. */
function AroundPage({ onLeave, onDrawn }: Pick<PaneMotion, 'onLeave' | 'onDrawn'>) {
  const drawn = useLatest(onDrawn)
  useEffect(() => drawn.current(), [drawn])
  return <BeforeLeaving onLeave={onLeave} />
}

/** What the section Account can do. */
function useAccount() {
  const { access } = useServices()
  const { connection, archive } = useMessenger()
  return {
    isOffline: () => connection.getSnapshot().state === 'offline',
    changeEmail: access.changeEmail,
    changePassword: access.changePassword,
    archive,
    saveFile,
  }
}
