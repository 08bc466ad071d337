import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { useMessenger } from '../session/messenger-context.tsx'
import { DocumentTitle } from './document-title.tsx'
import { nameChatPage } from './name-chat-page.ts'
import type { ChatPlace } from './read-chat-place.ts'

/** The document's title for a place of the chat screen. */
export function PageTitle({ place }: { place: ChatPlace }) {
  return place.peerId === undefined ? (
    <DocumentTitle page={nameChatPage(place, undefined)} />
  ) : (
    <PeerTitle place={place} peerId={place.peerId} />
  )
}

function PeerTitle({ place, peerId }: { place: ChatPlace; peerId: string }) {
  const peer = useLiveValue(useMessenger().users.get(peerId))
  return <DocumentTitle page={nameChatPage(place, peer?.username)} openPeerId={peerId} />
}
