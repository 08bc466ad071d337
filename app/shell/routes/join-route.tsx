import { useCallback } from 'react'
import { useNavigate, useParams } from 'react-router-dom'
import { JoinPage } from '../../chats/groups/join-page.tsx'
import { PageFrame } from '../layout/page-frame.tsx'
import { useWayUp } from '../navigation/use-way-up.tsx'
import { useMessenger } from '../session/messenger-context.tsx'

/** `/join/…`: where a group's link leads. */
export function JoinRoute() {
  const messenger = useMessenger()
  const { code = '' } = useParams()
  const navigate = useNavigate()
  const goUp = useWayUp()
  const open = useCallback(
    (groupId: string) => void navigate(`/chat/${groupId}`, { replace: true }),
    [navigate],
  )
  return (
    <PageFrame section="chats" title="Join group">
      <JoinPage
        key={code}
        messenger={messenger}
        code={code}
        onJoined={open}
        onBack={() => goUp({ to: '/chat' })}
      />
    </PageFrame>
  )
}
