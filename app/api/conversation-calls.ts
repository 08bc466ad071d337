import * as z from 'zod/mini'
import {
  type ConversationAnswer,
  type ConversationStats,
  conversationAnswer,
  conversationStats,
} from '../../schema/api/conversation-answer.ts'
import type { Caller } from './caller.ts'
import { requireInput } from './require-input.ts'

/**
 * Conversations, each by the other person's id. The app itself replicates them; this is for
 * programs.
 */
export function createConversationCalls(call: Caller) {
  async function change(given: {
    userId: string
    what: string
    body?: Record<string, boolean | string>
    fallback: string
  }): Promise<ConversationAnswer> {
    const { userId, what, body, fallback } = given
    requireInput(userId, 'User ID is required')
    const path = `/messages/conversations/${encodeURIComponent(userId)}/${what}`
    return await call({ method: 'PUT', path, body, answer: conversationAnswer, fallback })
  }

  return {
    /** Pinned ones first, then by their newest message. */
    list: (): Promise<ConversationAnswer[]> =>
      call({
        path: '/messages/conversations',
        answer: z.array(conversationAnswer),
        fallback: 'Failed to fetch conversations',
      }),
    markRead: (userId: string) =>
      change({ userId, what: 'read', fallback: 'Failed to mark messages as read' }),
    setArchived: (userId: string, isArchived: boolean) =>
      change({
        userId,
        what: 'archive',
        body: { isArchived },
        fallback: 'Failed to archive conversation',
      }),
    setPinned: (userId: string, isPinned: boolean) =>
      change({
        userId,
        what: 'pin',
        body: { isPinned },
        fallback: 'Failed to pin conversation',
      }),
    /** @param mutedUntil when it ends, an ISO time; without it, never */
    setMuted: (userId: string, isMuted: boolean, mutedUntil?: string) =>
      change({
        userId,
        what: 'mute',
        body: { isMuted, ...(mutedUntil !== undefined && { mutedUntil }) },
        fallback: 'Failed to mute conversation',
      }),
    async getStats(userId: string): Promise<ConversationStats> {
      requireInput(userId, 'User ID is required')
      return await call({
        path: `/messages/conversations/${encodeURIComponent(userId)}/stats`,
        answer: conversationStats,
        fallback: 'Failed to get conversation stats',
      })
    },
  }
}
