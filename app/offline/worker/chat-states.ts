import { type ConversationDocument, isMutedAt } from '../../../schema/conversation.ts'
import type { Inbox, UnreadChat } from '../../database/storage/inbox.ts'
import type { WorkerScope } from './worker-scope.ts'

/** What the worker has learnt of a chat. */
export interface ChatState {
  /** Up to where it is read or cleared. */
  seenUpTo: number
  /** Muted or archived: the badge does not count it. */
  isQuiet: boolean
}

export type ChatStates = ReadonlyMap<string, ChatState>

/** @param said what a push says of one chat, which is enough without an answer of the server */
export function readChatStates(options: {
  conversations: readonly ConversationDocument[]
  said: { peerId: string; readUpTo?: number | undefined }
  now: number
}): ChatStates {
  const { conversations, said, now } = options
  const states = new Map<string, ChatState>([
    [said.peerId, { seenUpTo: said.readUpTo ?? 0, isQuiet: false }],
  ])
  for (const conversation of conversations) {
    const { _id, readUpTo, clearedUpTo, isArchived } = conversation
    states.set(_id, {
      seenUpTo: Math.max(readUpTo, clearedUpTo, states.get(_id)?.seenUpTo ?? 0),
      isQuiet: isArchived || isMutedAt(conversation, now),
    })
  }
  return states
}

/** Messages of a push; those that the app already counted are not counted again. */
export interface PushedNews {
  peerId: string
  /** How many messages the push stands for. */
  count: number
  /** Of those that could be fetched. */
  places: readonly number[]
  /** The place of the newest, where it is known. */
  upTo: number | undefined
}

/**
 * What the badge counts now: what the app last knew and what was pushed since, without the chats
 * that are known to be read, muted or archived.
 */
export function updateUnread(
  before: readonly UnreadChat[],
  states: ChatStates,
  news?: PushedNews,
): UnreadChat[] {
  const chats = before.filter(({ peerId, upTo }) => {
    const state = states.get(peerId)
    return !state || (state.seenUpTo < upTo && !state.isQuiet)
  })
  const state = news && states.get(news.peerId)
  if (!news || state?.isQuiet) return chats
  const known = chats.find(({ peerId }) => peerId === news.peerId)
  const upTo = Math.max(news.upTo ?? 0, ...news.places)
  const countedUpTo = Math.max(known?.upTo ?? 0, state?.seenUpTo ?? 0)
  if (upTo > 0 && upTo <= countedUpTo) return chats
  const old = news.places.filter((place) => place <= countedUpTo).length
  const added = {
    peerId: news.peerId,
    count: (known?.count ?? 0) + Math.max(0, news.count - old),
    upTo: Math.max(upTo, countedUpTo),
  }
  return [...chats.filter((chat) => chat !== known), added]
}

/** Changes what the badge counts, and shows it. */
export async function changeUnread(
  { navigator }: Pick<WorkerScope, 'navigator'>,
  inbox: Pick<Inbox, 'readUnread' | 'setUnread'>,
  change: (before: readonly UnreadChat[]) => UnreadChat[],
): Promise<void> {
  const chats = change(await inbox.readUnread().catch(() => []))
  await inbox.setUnread(chats).catch(() => {})
  const count = chats.reduce((sum, each) => sum + each.count, 0)
  await (count > 0 ? navigator.setAppBadge?.(count) : navigator.clearAppBadge?.())
}
