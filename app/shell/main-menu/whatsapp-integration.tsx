import { useEffect } from 'react'
import { IntegrationDialog } from '../../whatsapp/integration/integration-dialog.tsx'
import { useServices } from '../session/services-context.ts'
import { useSession } from '../session/use-session.ts'

/**
 * 'WhatsApp Integration' for the signed-in person; reloads their record, as the device's may be
 * old.
 */
export function WhatsAppIntegration({ onClose }: { onClose(): void }) {
  const { own } = useServices()
  const user = useSession()?.user
  useEffect(() => {
    // The device's record stays until the server answers.
    own.me().catch(() => {})
  }, [own])
  if (!user) return null
  return (
    <IntegrationDialog
      user={user}
      onLink={own.linkWhatsApp}
      onUnlink={(keepsPhone) => own.unlinkWhatsApp({ keepsPhone })}
      onClose={onClose}
    />
  )
}
