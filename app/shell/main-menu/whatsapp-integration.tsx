import { useEffect } from 'react'
import { IntegrationDialog } from '../../whatsapp/integration-dialog.tsx'
import { useServices, useSession } from '../session/services-context.ts'

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
