import { useEffect, useState } from 'react'
import type { ServerDescription } from '../../../schema/api/auth.ts'
import { RegisterPage } from '../../auth/register-page.tsx'
import { useEncryptionClaim } from '../session/encryption-claim.ts'
import { useServices } from '../session/services-context.ts'
import { useUpdateDemand } from './use-update-demand.tsx'

export function RegisterRoute() {
  const { access, sessions, encryption } = useServices()
  const isEncrypted = useEncryptionClaim()
  const { notice, watch } = useUpdateDemand()
  const [admits, setAdmits] = useState<ServerDescription['registration']>()
  useEffect(() => {
    // Without an answer the form says it, once it is sent.
    encryption.describeServer().then(
      ({ registration }) => setAdmits(registration),
      () => undefined,
    )
  }, [encryption])
  return (
    <RegisterPage
      notice={notice}
      admits={admits}
      isEncrypted={isEncrypted}
      onRegister={async (given) =>
        sessions.set(await watch(access.register(given)), { keepSignedIn: true })
      }
    />
  )
}
