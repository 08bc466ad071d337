import { RegisterPage } from '../../auth/register-page.tsx'
import { useServices } from '../session/services-context.ts'
import { useUpdateDemand } from './use-update-demand.tsx'

export function RegisterRoute() {
  const { register, sessions } = useServices()
  const { notice, watch } = useUpdateDemand()
  return (
    <RegisterPage
      notice={notice}
      onRegister={async (given) =>
        sessions.set(await watch(register(given)), { keepSignedIn: true })
      }
    />
  )
}
