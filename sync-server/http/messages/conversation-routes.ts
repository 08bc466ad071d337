import * as z from 'zod/mini'
import {
  archiveChange,
  type MuteChange,
  muteChange,
  pinChange,
} from '../../../schema/api/change-message.ts'
import {
  type ConversationStats,
  conversationAnswer,
  conversationStats,
} from '../../../schema/api/conversation-answer.ts'
import type { ConversationDocument, ConversationFlag } from '../../../schema/conversation.ts'
import { isIncoming } from '../../../schema/message.ts'
import type { Caller } from '../../access/token-keeper.ts'
import type { FairQueue } from '../../budget/fair-queue.ts'
import { toIsoOrNull } from '../../lib/to-iso.ts'
import type { Digests } from '../../messages/digests/digests.ts'
import { endOfTime } from '../../messages/digests/tallies.ts'
import { defineRoute, type Route } from '../core/route.ts'
import { type ConversationPresenter, completeDigests } from './conversation-presenter.ts'
import type { GroupCalls } from './group-calls.ts'
import type { OwnConversations } from './own-conversations.ts'
import type { OwnMessages } from './own-messages.ts'

const userIdParam = z.object({ userId: z.string() })

/** A person's conversations, each addressed by the other person's id. */
export function createConversationRoutes(options: {
  conversations: OwnConversations
  messages: OwnMessages
  presenter: ConversationPresenter
  digests: Digests
  scans: FairQueue
  /** Undefined while there are no groups. */
  groups: GroupCalls | undefined
}): Route[] {
  const { conversations, messages, presenter, digests, scans, groups } = options

  async function findNewestPlace(
    ownerId: string,
    { _id: peerId, clearedUpTo }: ConversationDocument,
  ): Promise<number | undefined> {
    if (await groups?.isOfPerson(ownerId, peerId)) {
      return await groups?.findNewestPlace(ownerId, peerId)
    }
    return (await digests.tallies.findLast({ ownerId, peerId }, clearedUpTo))?.orderedAt
  }

  function flagRoute<Name extends Exclude<ConversationFlag, 'isMuted'>>(change: {
    verb: string
    flag: Name
    body: z.ZodMiniType<Record<Name, boolean>>
    summary: string
  }): Route {
    const { verb, flag, body, summary } = change
    return defineRoute({
      method: 'put',
      path: `/messages/conversations/{userId}/${verb}`,
      access: 'signed-in',
      summary,
      params: userIdParam,
      body,
      status: 200,
      answer: conversationAnswer,
      errors: ['user_not_found'],
      async handle({ caller: { userId: ownerId }, params: { userId: peerId }, body }) {
        const value = body[flag]
        const changed = await conversations.change({
          ownerId,
          peerId,
          propose: (stored, now) => ({ ...stored, [flag]: value, [`${flag}At`]: now }),
          isDone: (stored) => stored[flag] === value,
        })
        return await presenter.presentOne(ownerId, changed)
      },
    })
  }

  async function mute(asked: { ownerId: string; peerId: string }, change: MuteChange) {
    const { isMuted } = change
    const until = isMuted && change.mutedUntil ? Date.parse(change.mutedUntil) : undefined
    const changed = await conversations.change({
      ...asked,
      propose: ({ mutedUntil: _, ...stored }, now) => ({
        ...stored,
        isMuted,
        isMutedAt: now,
        ...(until !== undefined && { mutedUntil: until }),
      }),
      isDone: (stored) => stored.isMuted === isMuted && stored.mutedUntil === until,
    })
    return await presenter.presentOne(asked.ownerId, changed)
  }

  async function markRead({ userId: ownerId, sessionId }: Caller, peerId: string) {
    const stored = await conversations.find(ownerId, peerId)
    const newest = await findNewestPlace(ownerId, stored)
    // Without a message there is nothing to mark as read, and no conversation to create.
    if (newest === undefined) return await presenter.presentOne(ownerId, stored)
    const read = await conversations.change({
      ownerId,
      peerId,
      sessionId,
      propose: (current) => ({
        ...current,
        readUpTo: Math.max(current.readUpTo, newest),
      }),
      isDone: ({ readUpTo }) => readUpTo >= newest,
    })
    return await presenter.presentOne(ownerId, read)
  }

  return [
    defineRoute({
      method: 'get',
      path: '/messages/conversations',
      access: 'signed-in',
      summary: 'Your conversations: pinned ones first, then by their newest message.',
      status: 200,
      answer: z.array(conversationAnswer),
      async handle({ caller: { userId }, signal }) {
        await completeDigests({ ownerId: userId, messages, digests, signal })
        return await scans.once({ key: userId, signal }, async () =>
          presenter.presentList(userId, await conversations.list(userId)),
        )
      },
    }),

    defineRoute({
      method: 'put',
      path: '/messages/conversations/{userId}/read',
      access: 'signed-in',
      summary: 'Marks everything that has arrived in a conversation as read; its author is told.',
      params: userIdParam,
      status: 200,
      answer: conversationAnswer,
      errors: ['user_not_found'],
      handle: async ({ caller, params }) => await markRead(caller, params.userId),
    }),

    flagRoute({
      verb: 'archive',
      flag: 'isArchived',
      body: archiveChange,
      summary: 'Archives a conversation, or brings it back.',
    }),
    flagRoute({
      verb: 'pin',
      flag: 'isPinned',
      body: pinChange,
      summary: 'Pins a conversation to the top of the list, or lets it go.',
    }),
    defineRoute({
      method: 'put',
      path: '/messages/conversations/{userId}/mute',
      access: 'signed-in',
      summary: 'Mutes a conversation, for good or until a time, or lets it be heard again.',
      params: userIdParam,
      body: muteChange,
      status: 200,
      answer: conversationAnswer,
      errors: ['user_not_found'],
      handle: async ({ caller, params, body }) =>
        await mute({ ownerId: caller.userId, peerId: params.userId }, body),
    }),

    defineRoute({
      method: 'get',
      path: '/messages/conversations/{userId}/stats',
      access: 'signed-in',
      summary: 'How much a conversation holds.',
      params: userIdParam,
      status: 200,
      answer: conversationStats,
      errors: ['user_not_found'],
      async handle({ caller: { userId: ownerId }, params, signal }) {
        const conversation = await conversations.find(ownerId, params.userId)
        if (groups && (await groups.isOfPerson(ownerId, params.userId))) {
          return await groups.summarise({ ownerId, conversation, scans, signal })
        }
        await completeDigests({ ownerId, messages, digests, signal })
        const summarise = () => summariseConversation({ ownerId, conversation, digests })
        return await scans.once({ key: ownerId, signal }, summarise)
      },
    }),
  ]
}

/** Counts a conversation's messages for its owner, above the cleared mark. */
export async function summariseConversation(options: {
  ownerId: string
  conversation: ConversationDocument
  digests: Digests
}): Promise<ConversationStats> {
  const { ownerId, conversation, digests } = options
  const { _id: peerId, clearedUpTo, readUpTo } = conversation
  const { countUpTo, findFirst, findLast } = digests.tallies
  const view = { ownerId, peerId }
  const markedUpTo = Math.max(clearedUpTo, readUpTo)
  const cleared = await countUpTo(view, clearedUpTo)
  const marked = await countUpTo(view, markedUpTo)
  const all = await countUpTo(view, endOfTime)
  const deletions = await digests.listDeletions({ ...view, after: clearedUpTo })
  const unreadDeletions = deletions.filter(
    (one) => isIncoming(one, ownerId) && one.orderedAt > markedUpTo,
  )
  const first = await findFirst(view, clearedUpTo)
  const last = await findLast(view, clearedUpTo)
  const [sent, received] = [all.sent - cleared.sent, all.received - cleared.received]
  return {
    total: sent + received,
    sent,
    received,
    unread: all.received - marked.received - unreadDeletions.length,
    starred: await countStars(),
    media: all.files - cleared.files - deletions.filter(({ hasFile }) => hasFile).length,
    firstMessageAt: toIsoOrNull(first?.orderedAt ?? 0),
    lastMessageAt: toIsoOrNull(last?.orderedAt ?? 0),
  }

  async function countStars(): Promise<number> {
    let count = 0
    const isOfThis = (star: { peerId: string; orderedAt: number }) =>
      star.peerId === peerId && star.orderedAt > clearedUpTo
    for await (const page of digests.walkStars(ownerId, isOfThis)) count += page.length
    return count
  }
}
