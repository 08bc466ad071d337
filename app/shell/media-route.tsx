import { useLocation, useNavigate } from 'react-router-dom'
import { MediaPage } from '../media/media-page.tsx'
import type { MessageKind } from '../media/message-kinds.ts'
import { LoadingChat } from './loading-chat.tsx'
import { useMessenger } from './messenger-context.tsx'
import { usePeer } from './use-peer.ts'
import { useWayUp } from './use-way-up.tsx'

/** What a chat holds beside its words, in the chat's place. */
export function MediaRoute({ peerId, kind }: { peerId: string; kind: MessageKind }) {
  const messenger = useMessenger()
  const { state } = useLocation()
  const navigate = useNavigate()
  const goUp = useWayUp()
  const peer = usePeer(messenger, peerId)
  if (peer.state !== 'known') return <LoadingChat peer={peer} />
  const chat = `/chat/${peerId}`
  return (
    <MediaPage
      key={peerId}
      messenger={messenger}
      peerId={peerId}
      kind={kind}
      // In place of the other tab, so that Back leads to the chat.
      onKind={(chosen) => void navigate(`${chat}/${chosen}`, { replace: true, state })}
      onBack={() => goUp({ to: chat, state })}
      onGoToMessage={(messageId) =>
        void navigate(chat, { state: { ...(typeof state === 'object' ? state : {}), messageId } })
      }
    />
  )
}
