import { RegisterPage } from '../auth/register-page.tsx'
import { useServices } from './services.ts'

export function RegisterRoute() {
  const { register, sessions } = useServices()
  return (
    <RegisterPage
      onRegister={async (given) => sessions.set(await register(given), { keepSignedIn: true })}
    />
  )
}
