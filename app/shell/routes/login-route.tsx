import { useSyncExternalStore } from 'react'
import { LoginPage } from '../../auth/login-page.tsx'
import { AppleInstallSteps } from '../../offline/install-offer.tsx'
import { isInstalled } from '../../offline/install-prompt.ts'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { useMediaQuery } from '../../ui/hooks/use-media-query.ts'
import { phoneScreen } from '../screen/narrow-screen.ts'
import { useEncryptionClaim } from '../session/encryption-claim.ts'
import { useServices } from '../session/services-context.ts'
import { useUpdateDemand } from './use-update-demand.tsx'

export function LoginRoute() {
  const { access, sessions, linking, endSignIn, installOffer, encryption, forgotPassword } =
    useServices()
  const isEncrypted = useEncryptionClaim()
  const { notice, watch } = useUpdateDemand()
  const hasEnded = useSyncExternalStore(sessions.subscribe, sessions.endedUserId) !== undefined
  const isPhone = useMediaQuery(phoneScreen)
  const way = useLiveValue(installOffer.possible)
  const canInstall = !isInstalled() && (way !== 'none' || isPhone)
  return (
    <LoginPage
      install={
        canInstall
          ? {
              ask: way === 'prompt' ? () => void installOffer.install() : undefined,
              steps: way === 'hint' ? <AppleInstallSteps /> : <MenuInstallSteps />,
            }
          : undefined
      }
      isPhone={isPhone}
      hasEnded={hasEnded}
      isEncrypted={isEncrypted}
      notice={notice}
      askHasMail={async () => (await encryption.describeServer()).hasMail === true}
      onForgotten={async (email) => void (await forgotPassword(email))}
      linking={linking}
      onLinked={sessions.set}
      endSignIn={endSignIn}
      onSignIn={async (given) => {
        const session = await watch(access.signIn(given))
        sessions.set(session, { keepSignedIn: given.keepSignedIn !== false })
      }}
    />
  )
}

/** Where the browser has no question of its own, or not yet. */
function MenuInstallSteps() {
  return <p>Open your browser's menu and choose “Install app” or “Add to Home screen”.</p>
}
