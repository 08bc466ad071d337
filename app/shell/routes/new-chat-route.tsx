import { useCallback } from 'react'
import { Navigate, useNavigate, useSearchParams } from 'react-router-dom'
import { InvitedPage } from '../../chats/invited-page.tsx'
import { PageFrame } from '../layout/page-frame.tsx'
import { useWayUp } from '../navigation/use-way-up.tsx'
import { OwnInvite } from '../open-chat/invite.tsx'
import { useMessenger } from '../session/messenger-context.tsx'
import { useSession } from '../session/services-context.ts'

/** `/chat/new?to=…`: opens the chat with the person of an invite link. */
export function NewChatRoute() {
  const messenger = useMessenger()
  const self = useSession()?.user
  const [query] = useSearchParams()
  const navigate = useNavigate()
  const goUp = useWayUp()
  const to = query.get('to')?.trim() ?? ''
  const open = useCallback(
    (userId: string) => void navigate(`/chat/${userId}`, { replace: true }),
    [navigate],
  )
  if (!self) return null
  if (to === '') return <Navigate to="/chat" replace />
  return (
    <PageFrame section="chats" title="New chat">
      <InvitedPage
        key={to}
        messenger={messenger}
        self={self}
        to={to}
        ownInvite={<OwnInvite />}
        onFound={open}
        onBack={() => goUp({ to: '/chat' })}
      />
    </PageFrame>
  )
}
