import { createAuthCalls } from './auth-calls.ts'
import { type ApiOptions, createCallers } from './callers.ts'
import { createChannelCalls } from './channel-calls.ts'
import { createConversationCalls } from './conversation-calls.ts'
import { createLinkingCalls } from './linking-calls.ts'
import { createMessageCalls } from './message-calls.ts'
import { createOwnCalls } from './own-calls.ts'
import type { Retry } from './retry-call.ts'
import { createUserCalls } from './user-calls.ts'

export type Api = ReturnType<typeof createApi>

/**
 * The product's client library: every call of the server, typed by `schema/`, each answer parsed. It needs
 * `fetch` and no browser. Every call rejects with an `ApiError` that has words for a person; one that misses
 * something is never sent. A 401 forgets the sign-in and nothing else.
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
    whatsApp: createChannelCalls(callSignedIn),
  }
}
