import { useLocation, useNavigate } from 'react-router-dom'
import type { MessageKind } from '../../media/loading/message-kinds.ts'
import { MediaPage } from '../../media/media-page.tsx'
import { useWayUp } from '../navigation/use-way-up.tsx'
import { useMessenger } from '../session/messenger-context.tsx'
import { LoadingChat } from './loading-chat.tsx'
import { usePeer } from './use-peer.ts'

/** A chat's media, files and links, in the chat's place. */
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
      // Replaces the other tab's entry, so that Back returns to the chat.
      onKind={(chosen) => void navigate(`${chat}/${chosen}`, { replace: true, state })}
      onBack={() =>
        goUp({ to: chat, state, fits: (path) => path === chat || path === `${chat}/info` })
      }
      onGoToMessage={(messageId) =>
        void navigate(chat, { state: { ...(typeof state === 'object' ? state : {}), messageId } })
      }
    />
  )
}
