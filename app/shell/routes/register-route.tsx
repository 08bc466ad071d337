import { RegisterPage } from '../../auth/register-page.tsx'
import { useServices } from '../session/services-context.ts'

export function RegisterRoute() {
  const { register, sessions } = useServices()
  return (
    <RegisterPage
      onRegister={async (given) => sessions.set(await register(given), { keepSignedIn: true })}
    />
  )
}
