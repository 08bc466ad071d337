import { LoginPage } from '../auth/login-page.tsx'
import { useServices } from './services.ts'

export function LoginRoute() {
  const { signIn, sessions } = useServices()
  return (
    <LoginPage
      onSignIn={async (given) => {
        const session = await signIn(given)
        sessions.set(session, { keepSignedIn: given.keepSignedIn !== false })
      }}
    />
  )
}
