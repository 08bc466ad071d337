import * as z from 'zod/mini'
import {
  archiveChange,
  type MuteChange,
  muteChange,
  pinChange,
} from '../../../schema/api/change-conversation.ts'
import { conversationAnswer, conversationStats } from '../../../schema/api/conversation-answer.ts'
import type { ConversationFlag } from '../../../schema/conversation.ts'
import type { Caller } from '../../access/token-keeper.ts'
import type { FairQueue } from '../../budget/fair-queue.ts'
import type { Digests } from '../../messages/digests/digests.ts'
import { defineRoute, type Route } from '../core/route.ts'
import { completeDigests } from './complete-digests.ts'
import type { ConversationPresenter } from './conversation-presenter.ts'
import type { OwnConversations } from './own-conversations.ts'
import type { OwnMessages } from './own-messages.ts'
import { summariseConversation } from './summarise-conversation.ts'

const userIdParam = z.object({ userId: z.string() })

/** A person's conversations, each addressed by the other person's id. */
export function createConversationRoutes(options: {
  conversations: OwnConversations
  messages: OwnMessages
  presenter: ConversationPresenter
  digests: Digests
  scans: FairQueue
}): Route[] {
  const { conversations, messages, presenter, digests, scans } = options

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
    const last = await digests.tallies.findLast({ ownerId, peerId }, stored.clearedUpTo)
    const newest = last?.orderedAt
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
        await completeDigests({ ownerId, messages, digests, signal })
        const summarise = () => summariseConversation({ ownerId, conversation, digests })
        return await scans.once({ key: ownerId, signal }, summarise)
      },
    }),
  ]
}
