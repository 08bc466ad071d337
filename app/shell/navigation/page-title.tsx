import { nameOf } from '../../database/storage/known-peer.ts'
import { formatBadge } from '../../ui/format/format-amounts.ts'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { productName, titlePage } from '../../ui/product.ts'
import { countUnreadMessages } from '../notifications/count-unread-messages.ts'
import { useMessenger } from '../session/messenger-context.tsx'
import type { ChatPlace } from './read-chat-place.ts'
import { useUnreadTotal } from './use-unread-total.ts'

/** The document's title for a place of the chat screen. */
export function PageTitle({ place }: { place: ChatPlace }) {
  return place.peerId === undefined ? (
    <DocumentTitle page={nameChatPage(place, undefined)} />
  ) : (
    <PeerTitle place={place} peerId={place.peerId} />
  )
}

function PeerTitle({ place, peerId }: { place: ChatPlace; peerId: string }) {
  const peer = useLiveValue(useMessenger().peers.get(peerId))
  const named = peer && { name: nameOf(peer), isGroup: peer.isGroup === true }
  return <DocumentTitle page={nameChatPage(place, named)} openPeerId={peerId} />
}

/**
 * The page's name for the title; undefined to show the product's name alone. Source: decision 61,
 * section 2.
 */
export function nameChatPage(
  place: ChatPlace,
  peer: { name: string; isGroup: boolean } | undefined,
): string | undefined {
  switch (place.section) {
    case 'archived':
      return 'Archived Chats'
    case 'starred':
      return 'Starred Messages'
    case 'search':
      return 'Search'
    case 'status':
      return 'Status'
    case 'calls':
      return 'Calls'
    case 'settings':
      return 'Settings'
    case 'chats':
      if (place.content && peer) return `Media, files and links: ${peer.name}`
      if (place.hasEncryption && peer) return `Encryption: ${peer.name}`
      if (place.hasInfo && peer) return `${peer.isGroup ? 'Group' : 'Contact'} info: ${peer.name}`
      return place.peerId === undefined ? undefined : peer?.name
  }
}

interface DocumentTitleProps {
  page: string | undefined
  /** The person whose chat is open. */
  openPeerId?: string
}

/** The title of a signed-in page, with the unread count first: `(3) Ben | Petrel`. */
export function DocumentTitle({ page, openPeerId }: DocumentTitleProps) {
  const unread = useUnreadTotal(countUnreadMessages, openPeerId)
  const name = page === undefined ? productName : titlePage(page)
  return <title>{unread > 0 ? `(${formatBadge(unread)}) ${name}` : name}</title>
}
