import * as z from 'zod/mini'
import {
  type ConversationAnswer,
  type ConversationStats,
  conversationAnswer,
  conversationStats,
} from '../../schema/api/conversation-answer.ts'
import { personReported } from '../../schema/api/done-answers.ts'
import { blockAnswer, type ReportedMessage } from '../../schema/api/usage.ts'
import { limits } from '../../schema/limits.ts'
import { type PublicUser, publicUser } from '../../schema/user.ts'
import { createAdminCalls } from './admin-calls.ts'
import { requireInput } from './api-error.ts'
import { createAuthCalls } from './auth-calls.ts'
import {
  type ApiOptions,
  type Caller,
  type CallOptions,
  createCallers,
  orWhenMissing,
} from './caller.ts'
import { createChannelCalls } from './channel-calls.ts'
import { createGroupCalls } from './group-calls.ts'
import { createLinkingCalls } from './linking-calls.ts'
import { createMessageCalls } from './message-calls.ts'
import { createOwnCalls } from './own-calls.ts'
import { createPeopleCalls } from './people-calls.ts'
import { type Retry, retryCall } from './retry-call.ts'

const people = z.array(publicUser)

const activity = z.pick(publicUser, { isOnline: true, lastSeen: true })

export type Api = ReturnType<typeof createApi>

/**
 * The product's client library: every call of the server, typed by `schema/`, each answer parsed. It needs
 * `fetch` and no browser. Every call rejects with an `ApiError` that has words for a person; one that misses
 * something is never sent. The server's own 401 forgets the sign-in and nothing else.
 *
 * ```ts
 * const sessions = createSessionStore({ kept: createKeyValueStorage(), passing: createKeyValueStorage() })
 * const api = createApi({ serverUrl: 'https://chat.example', fetch, sessions })
 * sessions.set(await api.auth.login({ username: 'ann', password }), { keepSignedIn: true })
 * const [ben] = await api.users.search('ben')
 * await api.messages.send({ recipientId: ben._id, content: 'hello' }, { key: crypto.randomUUID() })
 * ```
 *
 * @param options.wait for tests: stands for the waiting between tries
 */
export function createApi(options: ApiOptions & { wait?: Retry['wait'] }) {
  const { sessions, wait } = options
  const { call, callSignedIn } = createCallers(options)
  return {
    auth: createAuthCalls({ call, callSignedIn }),
    linking: createLinkingCalls({ call, callSignedIn }),
    users: createUserCalls({ call: callSignedIn, wait }),
    own: createOwnCalls({
      call: callSignedIn,
      record: { get: () => sessions.get()?.user, set: sessions.setUser },
    }),
    messages: createMessageCalls(callSignedIn),
    conversations: createConversationCalls(callSignedIn),
    groups: createGroupCalls(callSignedIn),
    whatsApp: createChannelCalls(callSignedIn),
    admin: createAdminCalls(callSignedIn),
  }
}

/**
 * Conversations, each by the other person's id. The app itself replicates them; this is for
 * programs.
 */
function createConversationCalls(call: Caller) {
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

/** Finding and blocking other people. */
function createUserCalls(options: { call: Caller; wait?: Retry['wait'] }) {
  const { call, wait } = options
  const first = createPeopleCalls(call)
  return {
    ...first,

    /** Like `get`, with two retries, after 2 s and 4 s. */
    getWithRetry: (userId: string): Promise<PublicUser> =>
      retryCall(() => first.get(userId), { ...limits.userLookup, wait }),

    /** The person with a full phone number, in any formatting; undefined if there is none. */
    async findByPhone(phone: string): Promise<PublicUser | undefined> {
      const digits = phone.replace(/\D/g, '')
      const { phoneLookupMinDigits: min } = limits
      requireInput(digits.length >= min, `Phone number must be at least ${min} digits`)
      const found = call({
        path: `/users/phone/${digits}`,
        answer: publicUser,
        fallback: 'Failed to find user by phone number',
      })
      return await orWhenMissing(found, undefined)
    },

    /** People by part of their number; below three digits it asks nothing. */
    async searchByPhone(phone: string): Promise<PublicUser[]> {
      const digits = phone.replace(/\D/g, '')
      if (digits.length < limits.phoneSearchMinDigits) return []
      const path = `/users/search/phone/${digits}`
      const found = call({ path, answer: people, fallback: 'Failed to search users' })
      return await orWhenMissing(found, [])
    },

    /** A person unknown to the server is offline and was never seen. */
    async getActivity(userId: string): Promise<z.infer<typeof activity>> {
      requireInput(userId, 'User ID is required')
      const asked = call({
        path: `/users/${encodeURIComponent(userId)}/activity`,
        answer: activity,
        fallback: 'Failed to fetch user activity',
      })
      return await orWhenMissing(asked, { isOnline: false, lastSeen: null })
    },

    async setBlocked(
      change: { userId: string; blocked: boolean },
      options?: CallOptions,
    ): Promise<void> {
      const { userId, blocked } = change
      requireInput(userId, 'User ID is required')
      await call({
        ...options,
        method: 'PUT',
        path: `/users/${encodeURIComponent(userId)}/block`,
        body: { blocked },
        answer: blockAnswer,
        fallback: 'Failed to block user',
      })
    },

    listBlocked: (): Promise<PublicUser[]> =>
      call({ path: '/users/blocked', answer: people, fallback: 'Failed to fetch blocked users' }),

    /** @param given.messages what both wrote last, in plain words, for who answers the report */
    async report(
      given: { userId: string; reason: string; messages?: readonly ReportedMessage[] },
      options?: CallOptions,
    ): Promise<void> {
      const { userId, messages } = given
      const reason = given.reason.trim()
      const { reportReasonMinLength: min } = limits
      requireInput(userId, 'User ID is required')
      requireInput(reason.length >= min, `Reason must be at least ${min} characters long`)
      await call({
        ...options,
        method: 'POST',
        path: `/users/${encodeURIComponent(userId)}/report`,
        body: { reason, ...(messages && { messages }) },
        answer: personReported,
        fallback: 'Failed to report user',
      })
    },
  }
}
