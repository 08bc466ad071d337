import { LoginPage } from '../../auth/login-page.tsx'
import { useMediaQuery } from '../../ui/hooks/use-media-query.ts'
import { phoneScreen } from '../screen/narrow-screen.ts'
import { useServices } from '../session/services-context.ts'

export function LoginRoute() {
  const { signIn, sessions } = useServices()
  const isPhone = useMediaQuery(phoneScreen)
  return (
    <LoginPage
      isPhone={isPhone}
      onSignIn={async (given) => {
        const session = await signIn(given)
        sessions.set(session, { keepSignedIn: given.keepSignedIn !== false })
      }}
    />
  )
}
