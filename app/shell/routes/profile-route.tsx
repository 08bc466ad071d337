import { useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { ProfilePage } from '../../profile/profile-page.tsx'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { ConnectionStatus } from '../../whatsapp/connection-status.tsx'
import { PageFrame } from '../layout/page-frame.tsx'
import { SignOutDialog } from '../main-menu/sign-out-dialog.tsx'
import { WhatsAppIntegration } from '../main-menu/whatsapp-integration.tsx'
import { useOwnProfile } from '../navigation/use-own-profile.ts'
import { useWayUp } from '../navigation/use-way-up.tsx'
import { InviteRow } from '../open-chat/invite-row.tsx'
import { useMessenger } from '../session/messenger-context.tsx'
import { useServices } from '../session/services-context.ts'

export function ProfileRoute() {
  const messenger = useMessenger()
  const { access, own, signOut } = useServices()
  const profile = useOwnProfile()
  const navigate = useNavigate()
  const goUp = useWayUp()
  const [isLeaving, setIsLeaving] = useState(false)
  const [isLinking, setIsLinking] = useState(false)
  const { state, lastSyncedAt } = useLiveValue(messenger.connection)
  const isOffline = () => messenger.connection.getSnapshot().state === 'offline'
  if (!profile) return null
  return (
    <PageFrame section="profile" title="Profile">
      <ProfilePage
        profile={profile}
        isOnline={state === 'live'}
        lastSyncedAt={lastSyncedAt}
        isOffline={isOffline}
        onRefresh={async () => {
          await own.me()
        }}
        channel={
          <>
            <ConnectionStatus user={profile.user} onOpen={() => setIsLinking(true)} />
            <InviteRow />
          </>
        }
        onBack={() => goUp({ to: '/chat' })}
        isLoggingOut={isLeaving}
        onLogout={() => setIsLeaving(true)}
        onDeleteAccount={async (deletion) => {
          if (isOffline()) {
            throw new Error("You're offline. Deleting your account needs a connection.")
          }
          await access.deleteAccount(deletion)
          signOut(messenger)
          await navigate('/login', { replace: true })
        }}
      />
      {isLinking && <WhatsAppIntegration onClose={() => setIsLinking(false)} />}
      {isLeaving && <SignOutDialog onClose={() => setIsLeaving(false)} />}
    </PageFrame>
  )
}
