import { LoginPage } from '../auth/login-page.tsx'
import { useMediaQuery } from '../ui/use-media-query.ts'
import { phoneScreen } from './narrow-screen.ts'
import { useServices } from './services.ts'

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
