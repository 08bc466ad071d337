import { useSyncExternalStore } from 'react'
import { LoginPage } from '../../auth/login-page.tsx'
import { useMediaQuery } from '../../ui/hooks/use-media-query.ts'
import { phoneScreen } from '../screen/narrow-screen.ts'
import { useServices } from '../session/services-context.ts'
import { useUpdateDemand } from './use-update-demand.tsx'

export function LoginRoute() {
  const { signIn, sessions, linking } = useServices()
  const { notice, watch } = useUpdateDemand()
  const hasEnded = useSyncExternalStore(sessions.subscribe, sessions.endedUserId) !== undefined
  const isPhone = useMediaQuery(phoneScreen)
  return (
    <LoginPage
      isPhone={isPhone}
      hasEnded={hasEnded}
      notice={notice}
      linking={linking}
      onLinked={sessions.set}
      onSignIn={async (given) => {
        const session = await watch(signIn(given))
        sessions.set(session, { keepSignedIn: given.keepSignedIn !== false })
      }}
    />
  )
}
