import { useState } from 'react'
import { ProfilePanel } from '../../profile/profile-panel.tsx'
import { ConnectionStatus } from '../../whatsapp/connection-status.tsx'
import { SignOutDialog } from '../main-menu/sign-out-dialog.tsx'
import { WhatsAppIntegration } from '../main-menu/whatsapp-integration.tsx'
import { useOwnProfile } from './use-own-profile.ts'

/** The profile in the place of the list. */
export function ProfilePanelRoute({ onBack }: { onBack(): void }) {
  const profile = useOwnProfile()
  const [opened, setOpened] = useState<'sign-out' | 'whatsapp'>()
  const close = () => setOpened(undefined)
  if (!profile) return null
  return (
    <>
      <ProfilePanel
        profile={profile}
        channel={<ConnectionStatus user={profile.user} onOpen={() => setOpened('whatsapp')} />}
        isLoggingOut={opened === 'sign-out'}
        onBack={onBack}
        onLogout={() => setOpened('sign-out')}
      />
      {opened === 'whatsapp' && <WhatsAppIntegration onClose={close} />}
      {opened === 'sign-out' && <SignOutDialog onClose={close} />}
    </>
  )
}
