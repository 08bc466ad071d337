import * as z from 'zod/mini'
import { statusChange } from '../../../schema/api/change-message.ts'
import { messageStatusAnswer, statusHistoryAnswer } from '../../../schema/api/message-answer.ts'
import { type MessageDocument, statusRank } from '../../../schema/message.ts'
import type { Caller } from '../../access/token-keeper.ts'
import { RequestRefused } from '../core/request-refused.ts'
import { defineRoute, type Route } from '../core/route.ts'
import type { MessagePresenter } from './message-presenter.ts'
import type { OwnConversations } from './own-conversations.ts'
import type { OwnMessages } from './own-messages.ts'

const messageIdParam = z.object({ id: z.string() })

/** Reading a message's status, and confirming its delivery. */
export function createStatusRoutes(options: {
  messages: OwnMessages
  conversations: OwnConversations
  presenter: MessagePresenter
}): Route[] {
  const { messages, conversations, presenter } = options

  async function describeStatus(ownerId: string, message: MessageDocument) {
    const { status } = await presenter.presentOne(ownerId, message)
    const history = await presenter.presentHistory(ownerId, message)
    const reached = history.findLast((entry) => entry.status === status)
    return {
      messageId: message._id,
      status,
      timestamp: reached?.timestamp ?? null,
      error: message.error ?? null,
    }
  }

  return [
    defineRoute({
      method: 'get',
      path: '/messages/{id}/status',
      access: 'signed-in',
      summary: 'Where one of your messages stands.',
      params: messageIdParam,
      status: 200,
      answer: messageStatusAnswer,
      errors: ['message_not_found'],
      handle: async ({ caller: { userId }, params }) =>
        await describeStatus(userId, await messages.find(userId, params.id)),
    }),

    defineRoute({
      method: 'get',
      path: '/messages/{id}/status-history',
      access: 'signed-in',
      summary: 'When a message was sent, delivered and read.',
      params: messageIdParam,
      status: 200,
      answer: statusHistoryAnswer,
      errors: ['message_not_found'],
      async handle({ caller: { userId }, params }) {
        const message = await messages.find(userId, params.id)
        const { status } = await presenter.presentOne(userId, message)
        const history = await presenter.presentHistory(userId, message)
        return { messageId: message._id, status, history }
      },
    }),

    defineRoute({
      method: 'put',
      path: '/messages/{id}/status',
      access: 'signed-in',
      summary:
        'Confirms that a message to you has arrived or was read; what came before it in the conversation is confirmed with it.',
      params: messageIdParam,
      body: statusChange,
      status: 200,
      answer: messageStatusAnswer,
      errors: ['message_not_found', 'forged_status', 'status_not_higher'],
      async handle({ caller, params, body: { status } }) {
        const { userId } = caller
        const message = await messages.find(userId, params.id)
        if (message.senderId === userId) {
          // Only the provider reports on messages sent to a phone.
          throw new RequestRefused(message.isWhatsApp ? 'status_not_higher' : 'forged_status')
        }
        const current = await presenter.presentOne(userId, message)
        if (statusRank({ ...message, status }) < statusRank({ ...message, ...current })) {
          throw new RequestRefused('status_not_higher')
        }
        await confirm(caller, message, status === 'read')
        return await describeStatus(userId, message)
      },
    }),
  ]

  async function confirm(caller: Caller, message: MessageDocument, isRead: boolean) {
    const mark = isRead ? 'readUpTo' : 'deliveredUpTo'
    await conversations.change({
      ownerId: caller.userId,
      peerId: message.peerId,
      sessionId: caller.sessionId,
      propose: (stored) => ({ ...stored, [mark]: Math.max(stored[mark], message.orderedAt) }),
      isDone: (stored) => stored[mark] >= message.orderedAt,
    })
  }
}
