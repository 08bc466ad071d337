import { idPattern } from '../../schema/id.ts'

export type ChatSection = 'chats' | 'archived' | 'starred' | 'search' | 'status' | 'calls'

export interface ChatPlace {
  section: ChatSection
  /** The person whose conversation is open. */
  peerId?: string
  groupId?: string
}

/** What an address below /chat shows; undefined if it is nothing. Source: the route table of the specification. */
export function readChatPlace(pathname: string): ChatPlace | undefined {
  const [, , first, second, ...rest] = pathname.replace(/\/+$/, '').split('/')
  if (first === undefined) return { section: 'chats' }
  if (first === 'group' && second !== undefined && rest.length === 0) {
    return { section: 'chats', groupId: second }
  }
  if (second !== undefined) return undefined
  switch (first) {
    case 'archived':
    case 'starred':
    case 'search':
    case 'status':
    case 'calls':
      return { section: first }
    default:
      return idPattern.test(first) ? { section: 'chats', peerId: first } : undefined
  }
}
