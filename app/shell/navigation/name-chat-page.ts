import type { ChatPlace } from './read-chat-place.ts'

/**
 * The page's name for the title; undefined to show the product's name alone. Source: decision 61,
 * section 2.
 */
export function nameChatPage(place: ChatPlace, peerName: string | undefined): string | undefined {
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
      if (place.content && peerName) return `Media, files and links: ${peerName}`
      if (place.hasInfo && peerName) return `Contact info: ${peerName}`
      return place.peerId === undefined ? undefined : peerName
  }
}
