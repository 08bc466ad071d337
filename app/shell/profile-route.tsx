import { useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { ProfilePage } from '../profile/profile-page.tsx'
import { applyWaitingProfile } from '../sync/requests/apply-waiting-profile.ts'
import { useLiveValue } from '../ui/use-live-value.ts'
import { useMessenger } from './messenger-context.tsx'
import { PageFrame } from './page-frame.tsx'
import { useServices } from './services.ts'
import { SignOutDialog } from './sign-out-dialog.tsx'
import { useSession } from './use-session.ts'
import { useWayUp } from './use-way-up.tsx'

export function ProfileRoute() {
  const messenger = useMessenger()
  const { own, signOut } = useServices()
  const session = useSession()
  const navigate = useNavigate()
  const goUp = useWayUp()
  const [isLeaving, setIsLeaving] = useState(false)
  const { state } = useLiveValue(messenger.connection)
  const entries = useLiveValue(messenger.requests.entries)
  if (!session) return null
  return (
    <PageFrame section="profile" title="Profile">
      <ProfilePage
        user={applyWaitingProfile(session.user, entries)}
        isOnline={state === 'live'}
        onRefresh={async () => {
          await own.me()
        }}
        onSave={async (change) => {
          await messenger.requests.submit({ kind: 'profile', change })
        }}
        onBack={() => goUp({ to: '/chat' })}
        onLogout={() => setIsLeaving(true)}
        onDeleteAccount={async () => {
          await own.deleteAccount()
          signOut(messenger)
          await navigate('/login', { replace: true })
        }}
      />
      {isLeaving && <SignOutDialog onClose={() => setIsLeaving(false)} />}
    </PageFrame>
  )
}
