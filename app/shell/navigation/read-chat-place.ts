import { idPattern } from '../../../schema/id.ts'
import type { ListPlace } from '../../conversation/message-list/step-window.ts'
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
  /** Does it show how the chat is encrypted? */
  hasEncryption?: true
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
    if (rest.length === 0 && idPattern.test(first)) {
      const about = { section: 'chats', peerId: first, hasInfo: true } as const
      if (second === 'info') return about
      if (second === 'encryption') return { ...about, hasEncryption: true }
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

/** A text from the navigation state, such as a search query. */
export function readNavigationState(state: unknown, key: string): string | undefined {
  if (typeof state !== 'object' || state === null) return undefined
  const value: unknown = Reflect.get(state, key)
  return typeof value === 'string' ? value : undefined
}

/** The scroll position of a chat's messages, from the navigation state. */
export function readListPlace(state: unknown): ListPlace | undefined {
  const place: unknown = typeof state === 'object' && state && Reflect.get(state, 'listPlace')
  if (typeof place !== 'object' || place === null) return undefined
  const messageId: unknown = Reflect.get(place, 'messageId')
  const offsetPx: unknown = Reflect.get(place, 'offsetPx')
  if (typeof messageId !== 'string' || !Number.isFinite(offsetPx)) return undefined
  return { messageId, offsetPx: Number(offsetPx) }
}
