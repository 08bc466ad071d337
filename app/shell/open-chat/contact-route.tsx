import { lazy, Suspense, useState } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { ContactPanel } from '../../people/contact-panel.tsx'
import { useAttempt } from '../../ui/dialogs/lazy-dialogs.tsx'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { leaveBackLayers } from '../../ui/layers/leave-back-layers.ts'
import { useWayUp } from '../navigation/use-way-up.tsx'
import { useMessenger } from '../session/messenger-context.tsx'
import { LoadingChat } from './loading-chat.tsx'
import { usePeer } from './use-peer.ts'

const GroupPanel = lazy(() =>
  import('../../people/group-panel.tsx').then((module) => ({ default: module.GroupPanel })),
)

const AddMembersDialog = lazy(() =>
  import('../../chats/groups/new-group-dialog.tsx').then((module) => ({
    default: module.AddMembersDialog,
  })),
)

interface ContactRouteProps {
  peerId: string
  /** Does it take the chat's place? Else it lies beside the chat. */
  isPage: boolean
  /** The chat, once it is shown, begins a search. */
  onSearch(): void
}

/** The panel about a person or a group, with a history entry of its own. */
export function ContactRoute({ peerId, isPage, onSearch }: ContactRouteProps) {
  const messenger = useMessenger()
  const { pathname, state } = useLocation()
  const navigate = useNavigate()
  const goUp = useWayUp()
  const peer = usePeer(messenger, peerId)
  const chat = `/chat/${peerId}`
  const { attempt, failure } = useAttempt()
  const close = () => goUp({ to: chat, state })
  const known = useLiveValue(messenger.peers.get(peerId))
  const [isAdding, setIsAdding] = useState(false)
  if (peer.state !== 'known') return isPage ? <LoadingChat peer={peer} /> : null
  const shared = {
    messenger,
    isPage,
    onClose: () => leaveBackLayers(close),
    onSearch() {
      onSearch()
      // Beside the chat both fit.
      if (isPage) close()
    },
    onOpenMedia: () => void navigate(`${chat}/media`, { state }),
    onOpenEncryption: () => void navigate(`${chat}/encryption`, { state }),
    onGoToMessage(messageId: string) {
      const shown = { ...(typeof state === 'object' ? state : {}), messageId }
      if (isPage) void navigate(chat, { state: shown })
      else void navigate(pathname, { replace: true, state: shown })
    },
    onDeleted: () => leaveBackLayers(() => void navigate('/chat', { replace: true })),
  }
  if (known?.isGroup) {
    return (
      <Suspense fallback={null}>
        <GroupPanel
          key={peerId}
          {...shared}
          group={known}
          onOpenChat={(userId) => leaveBackLayers(() => void navigate(`/chat/${userId}`))}
          onAddPeople={() => setIsAdding(true)}
        />
        {isAdding && (
          <AddMembersDialog
            messenger={messenger}
            memberIds={known.members.map(({ userId }) => userId)}
            onAdd={(userIds) =>
              attempt(
                messenger.groups.change(peerId, { kind: 'add', userIds: [...userIds] }),
                'Failed to add people',
              )
            }
            onClose={() => setIsAdding(false)}
          />
        )}
        {failure}
      </Suspense>
    )
  }
  return <ContactPanel key={peerId} {...shared} peerId={peerId} />
}
