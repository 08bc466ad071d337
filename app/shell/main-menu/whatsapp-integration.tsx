import { useEffect } from 'react'
import { IntegrationDialog } from '../../whatsapp/integration/integration-dialog.tsx'
import { useServices } from '../session/services-context.ts'
import { useSession } from '../session/use-session.ts'

/** 'WhatsApp Integration' for whoever is signed in; their record is read again, as it may be an older one. */
export function WhatsAppIntegration({ onClose }: { onClose(): void }) {
  const { own } = useServices()
  const user = useSession()?.user
  useEffect(() => {
    // What the device knows stands until the server can be asked.
    own.me().catch(() => {})
  }, [own])
  if (!user) return null
  return (
    <IntegrationDialog
      user={user}
      onLink={own.linkWhatsApp}
      onUnlink={own.unlinkWhatsApp}
      onClose={onClose}
    />
  )
}
