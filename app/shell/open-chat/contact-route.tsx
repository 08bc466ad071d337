import { useLocation, useNavigate } from 'react-router-dom'
import { ContactPanel } from '../../people/contact-panel.tsx'
import { leaveBackLayers } from '../../ui/layers/leave-back-layers.ts'
import { useWayUp } from '../navigation/use-way-up.tsx'
import { useMessenger } from '../session/messenger-context.tsx'
import { LoadingChat } from './loading-chat.tsx'
import { usePeer } from './use-peer.ts'

interface ContactRouteProps {
  peerId: string
  /** Does it take the chat's place? Else it lies beside the chat. */
  isPage: boolean
  /** The chat, once it is shown, begins a search. */
  onSearch(): void
}

/** The contact panel, with a history entry of its own. */
export function ContactRoute({ peerId, isPage, onSearch }: ContactRouteProps) {
  const messenger = useMessenger()
  const { pathname, state } = useLocation()
  const navigate = useNavigate()
  const goUp = useWayUp()
  const peer = usePeer(messenger, peerId)
  const chat = `/chat/${peerId}`
  const close = () => goUp({ to: chat, state })
  if (peer.state !== 'known') return isPage ? <LoadingChat peer={peer} /> : null
  return (
    <ContactPanel
      key={peerId}
      messenger={messenger}
      peerId={peerId}
      isPage={isPage}
      onClose={() => leaveBackLayers(close)}
      onSearch={() => {
        onSearch()
        // Beside the chat both fit.
        if (isPage) close()
      }}
      onOpenEncryption={() => void navigate(`${chat}/encryption`, { state })}
      onOpenMedia={() => void navigate(`${chat}/media`, { state })}
      onGoToMessage={(messageId) => {
        const shown = { ...(typeof state === 'object' ? state : {}), messageId }
        if (isPage) void navigate(chat, { state: shown })
        else void navigate(pathname, { replace: true, state: shown })
      }}
      onDeleted={() => leaveBackLayers(() => void navigate('/chat', { replace: true }))}
    />
  )
}
