import { useLocation } from 'react-router-dom'
import { EncryptionPage } from '../../people/encryption-page.tsx'
import { leaveBackLayers } from '../../ui/layers/leave-back-layers.ts'
import { useWayUp } from '../navigation/use-way-up.tsx'
import { useMessenger } from '../session/messenger-context.tsx'
import { LoadingChat } from './loading-chat.tsx'
import { usePeer } from './use-peer.ts'

/** How a chat is encrypted; back leads to where the reader came from. */
export function EncryptionRoute({ peerId }: { peerId: string }) {
  const messenger = useMessenger()
  const { state } = useLocation()
  const goUp = useWayUp()
  const peer = usePeer(messenger, peerId)
  const chat = `/chat/${peerId}`
  const close = () =>
    goUp({ to: `${chat}/info`, state, fits: (path) => path === chat || path === `${chat}/info` })
  if (peer.state !== 'known') return <LoadingChat peer={peer} />
  return (
    <EncryptionPage
      key={peerId}
      messenger={messenger}
      peerId={peerId}
      onBack={() => leaveBackLayers(close)}
    />
  )
}
