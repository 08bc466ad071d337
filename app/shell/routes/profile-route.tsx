import { useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { ProfilePage } from '../../profile/profile-page.tsx'
import { applyWaitingProfile } from '../../sync/requests/apply-waiting-profile.ts'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { ConnectionStatus } from '../../whatsapp/channel/connection-status.tsx'
import { PageFrame } from '../layout/page-frame.tsx'
import { SignOutDialog } from '../main-menu/sign-out-dialog.tsx'
import { WhatsAppIntegration } from '../main-menu/whatsapp-integration.tsx'
import { useWayUp } from '../navigation/use-way-up.tsx'
import { InviteRow } from '../new-chat/invite-row.tsx'
import { useMessenger } from '../session/messenger-context.tsx'
import { useServices } from '../session/services-context.ts'
import { useSession } from '../session/use-session.ts'

export function ProfileRoute() {
  const messenger = useMessenger()
  const { own, signOut } = useServices()
  const session = useSession()
  const navigate = useNavigate()
  const goUp = useWayUp()
  const [isLeaving, setIsLeaving] = useState(false)
  const [isLinking, setIsLinking] = useState(false)
  const { state } = useLiveValue(messenger.connection)
  const entries = useLiveValue(messenger.requests.entries)
  if (!session) return null
  const user = applyWaitingProfile(session.user, entries)
  return (
    <PageFrame section="profile" title="Profile">
      <ProfilePage
        user={user}
        isOnline={state === 'live'}
        isOffline={() => messenger.connection.getSnapshot().state === 'offline'}
        onRefresh={async () => {
          await own.me()
        }}
        onSave={async (change) => {
          await messenger.requests.submit({ kind: 'profile', change })
        }}
        channel={
          <>
            <ConnectionStatus user={user} onOpen={() => setIsLinking(true)} />
            <InviteRow userId={user._id} />
          </>
        }
        onBack={() => goUp({ to: '/chat' })}
        onLogout={() => setIsLeaving(true)}
        onDeleteAccount={async () => {
          await own.deleteAccount()
          signOut(messenger)
          await navigate('/login', { replace: true })
        }}
      />
      {isLinking && <WhatsAppIntegration onClose={() => setIsLinking(false)} />}
      {isLeaving && <SignOutDialog onClose={() => setIsLeaving(false)} />}
    </PageFrame>
  )
}
