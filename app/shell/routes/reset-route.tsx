import { ResetPage } from '../../auth/reset-page.tsx'
import { useEncryptionClaim } from '../session/encryption-claim.ts'
import { useServices } from '../session/services-context.ts'

export function ResetRoute() {
  const { access } = useServices()
  return <ResetPage isEncrypted={useEncryptionClaim()} onReset={access.resetPassword} />
}
