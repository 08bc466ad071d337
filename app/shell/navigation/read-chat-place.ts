import { idPattern } from '../../../schema/id.ts'
import type { MessageKind } from '../../media/loading/message-kinds.ts'

export type ChatSection =
  | 'chats'
  | 'archived'
  | 'starred'
  | 'search'
  | 'status'
  | 'calls'
  | 'settings'

export interface ChatPlace {
  section: ChatSection
  /** The person whose conversation is open. */
  peerId?: string
  /** The kind of content that replaces the conversation's messages. */
  content?: MessageKind
  /** Is the contact panel open, beside the conversation or in its place? */
  hasInfo?: true
  groupId?: string
}

const contents: readonly MessageKind[] = ['media', 'files', 'links']

/** Parses a path below /chat; undefined if nothing matches. Source: decision 61, section 2. */
export function readChatPlace(pathname: string): ChatPlace | undefined {
  const [, , first, second, ...rest] = pathname.replace(/\/+$/, '').split('/')
  if (first === undefined) return { section: 'chats' }
  if (first === 'group' && second !== undefined && rest.length === 0) {
    return { section: 'chats', groupId: second }
  }
  if (second !== undefined) {
    if (second === 'info' && rest.length === 0 && idPattern.test(first)) {
      return { section: 'chats', peerId: first, hasInfo: true }
    }
    const content = contents.find((kind) => kind === second)
    if (!content || rest.length > 0 || !idPattern.test(first)) return undefined
    return { section: 'chats', peerId: first, content }
  }
  switch (first) {
    case 'archived':
    case 'starred':
    case 'search':
    case 'status':
    case 'calls':
    case 'settings':
      return { section: first }
    default:
      return idPattern.test(first) ? { section: 'chats', peerId: first } : undefined
  }
}
