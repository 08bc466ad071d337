import * as z from 'zod/mini'
import { limits } from '../../../schema/limits.ts'
import { messageAnswer } from '../../../schema/message-answer.ts'
import type { Accounts } from '../../access/create-accounts.ts'
import { RequestRefused } from '../request-refused.ts'
import { defineRoute, type Route } from '../route.ts'
import { readWholeNumber } from '../users/read-whole-number.ts'
import type { History } from './create-history.ts'
import type { MessagePresenter } from './create-message-presenter.ts'
import type { OwnConversations } from './create-own-conversations.ts'
import type { OwnMessages } from './create-own-messages.ts'
import { type MessagePage, messagePage } from './message-page.ts'
import { searchMessages } from './search-messages.ts'

const endOfTime = Number.MAX_SAFE_INTEGER

/** Reading messages: of one conversation, by a phone number, by what they say, by their star. */
export function createMessageListRoutes(options: {
  accounts: Accounts
  messages: OwnMessages
  conversations: OwnConversations
  history: History
  presenter: MessagePresenter
}): Route[] {
  const { accounts, messages, conversations, history, presenter } = options

  async function listConversation(ownerId: string, peerId: string, page: MessagePage) {
    const { clearedUpTo: after } = await conversations.find(ownerId, peerId)
    const from = page.before === undefined ? undefined : await messages.find(ownerId, page.before)
    if (from && from.peerId !== peerId) throw new RequestRefused('message_not_found')
    const stretch = { ownerId, peerId, after, before: from?.orderedAt ?? endOfTime }
    const found = await history.list(stretch, page.limit)
    return await presenter.presentAll(ownerId, found)
  }

  return [
    defineRoute({
      method: 'get',
      path: '/messages/starred',
      access: 'signed-in',
      summary: `What you have starred, newest first, at most ${limits.starredMax}.`,
      status: 200,
      answer: z.array(messageAnswer),
      async handle({ caller: { userId } }) {
        const isWanted = ({ isStarred }: { isStarred: boolean }) => isStarred
        const found = await messages.scan(userId, { isWanted, limit: limits.starredMax })
        return await presenter.presentAll(userId, found)
      },
    }),

    defineRoute({
      method: 'get',
      path: '/messages/search',
      access: 'signed-in',
      summary:
        'Messages with this text in them, in any case, newest first; with userId of one conversation.',
      query: z.extend(messagePage, {
        query: z
          .string('A search text is required')
          .check(z.maxLength(1_000, 'This search text is too long')),
        userId: z.optional(z.string()),
      }),
      status: 200,
      answer: z.array(messageAnswer),
      errors: ['user_not_found', 'message_not_found'],
      async handle({ caller: { userId: ownerId }, query: { query: text, userId, before, limit } }) {
        const conversation = userId ? await conversations.find(ownerId, userId) : undefined
        const from = before === undefined ? undefined : await messages.find(ownerId, before)
        const asked = { ownerId, text, conversation, from, limit }
        const found = await searchMessages({ messages, history, ...asked })
        return await presenter.presentAll(ownerId, found)
      },
    }),

    defineRoute({
      method: 'get',
      path: '/messages/phone/{phone}',
      access: 'signed-in',
      summary:
        'The conversation with the person of a whole phone number, oldest first; empty for nobody.',
      params: z.object({ phone: z.string() }),
      query: messagePage,
      status: 200,
      answer: z.array(messageAnswer),
      errors: ['message_not_found'],
      async handle({ caller: { userId }, params, query }) {
        const account = await accounts.findByPhone(readWholeNumber(params.phone))
        if (!account || account.userId === userId) return []
        return await listConversation(userId, account.userId, query)
      },
    }),

    defineRoute({
      method: 'get',
      path: '/messages/{id}',
      access: 'signed-in',
      summary: 'The conversation with the person of this id: the newest messages, oldest first.',
      params: z.object({ id: z.string() }),
      query: messagePage,
      status: 200,
      answer: z.array(messageAnswer),
      errors: ['user_not_found', 'message_not_found'],
      handle: async ({ caller: { userId }, params, query }) =>
        await listConversation(userId, params.id, query),
    }),
  ]
}
