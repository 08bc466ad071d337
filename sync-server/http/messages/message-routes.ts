import * as z from 'zod/mini'
import {
  bulkDeletion,
  messageEdit,
  reactionChange,
  starChange,
} from '../../../schema/api/change-message.ts'
import { messagesDeleted } from '../../../schema/api/done-answers.ts'
import { messageAnswer } from '../../../schema/api/message-answer.ts'
import { react } from '../../../schema/reaction.ts'
import { RequestRefused } from '../core/request-refused.ts'
import { defineRoute, type Route } from '../core/route.ts'
import type { MessagePresenter } from './message-presenter.ts'
import type { MessageWriter } from './message-writer.ts'
import { refuseSealed } from './refuse-sealed.ts'

const messageIdParam = z.object({ id: z.string() })

/** Changing a message, or taking it back. */
export function createMessageRoutes(options: {
  writer: MessageWriter
  presenter: MessagePresenter
}): Route[] {
  const { writer, presenter } = options
  return [
    defineRoute({
      method: 'post',
      path: '/messages/delete-bulk',
      access: 'signed-in',
      summary: 'Deletes several of your own messages, for both people: all of them or none.',
      body: bulkDeletion,
      status: 200,
      answer: messagesDeleted,
      errors: ['message_not_found', 'not_author'],
      async handle({ caller: { userId }, body }) {
        const messageIds = [...new Set(body.messageIds)]
        await writer.removeAll(userId, messageIds)
        return { messageIds }
      },
    }),

    defineRoute({
      method: 'put',
      path: '/messages/{id}',
      access: 'signed-in',
      summary: 'Changes the text of one of your own messages, for both people.',
      params: messageIdParam,
      body: messageEdit,
      status: 200,
      answer: messageAnswer,
      errors: [
        ...(['message_not_found', 'not_author', 'deleted', 'empty', 'too_long'] as const),
        ...(['recipient_unavailable', 'not_editable', 'message_sealed'] as const),
      ],
      async handle({ caller: { userId }, params, body: { content = '', sealed } }) {
        const edited = await writer.change({
          actorId: userId,
          id: params.id,
          isForAuthor: true,
          // The rule refuses changes of a deleted message.
          propose({ deletedAt, ...stored }, now) {
            if (sealed === undefined) refuseSealed(stored)
            return { ...stored, content, ...(sealed !== undefined && { sealed }), editedAt: now }
          },
          isDone: (stored) => stored.content === content && stored.sealed === sealed,
        })
        return await presenter.presentOne(userId, edited)
      },
    }),

    defineRoute({
      method: 'delete',
      path: '/messages/{id}',
      access: 'signed-in',
      summary:
        'Deletes one of your own messages, for both people. Its place stays, its words do not.',
      params: messageIdParam,
      status: 200,
      answer: messageAnswer,
      errors: ['message_not_found', 'not_author'],
      async handle({ caller: { userId }, params }) {
        const deleted = await writer.change({
          actorId: userId,
          id: params.id,
          isForAuthor: true,
          propose: (stored, now) => ({ ...stored, deletedAt: stored.deletedAt ?? now }),
          isDone: ({ deletedAt }) => deletedAt !== undefined,
        })
        return await presenter.presentOne(userId, deleted)
      },
    }),

    defineRoute({
      method: 'put',
      path: '/messages/{id}/star',
      access: 'signed-in',
      summary: 'Stars a message, or takes the star away. Only you see it.',
      params: messageIdParam,
      body: starChange,
      status: 200,
      answer: messageAnswer,
      errors: ['message_not_found', 'message_deleted'],
      async handle({ caller: { userId }, params, body: { isStarred } }) {
        const starred = await writer.change({
          actorId: userId,
          id: params.id,
          propose(stored, now) {
            if (stored.deletedAt !== undefined) throw new RequestRefused('message_deleted')
            return { ...stored, isStarred, isStarredAt: now }
          },
          isDone: (stored) => stored.isStarred === isStarred,
        })
        return await presenter.presentOne(userId, starred)
      },
    }),

    defineRoute({
      method: 'put',
      path: '/messages/{id}/reaction',
      access: 'signed-in',
      summary:
        'Reacts to a message with one emoji, in place of your reaction before; an empty one takes it back. Both people see it.',
      params: messageIdParam,
      body: reactionChange,
      status: 200,
      answer: messageAnswer,
      errors: ['message_not_found', 'message_deleted', 'message_sealed', 'recipient_unavailable'],
      async handle({ caller: { userId }, params, body: { emoji, sealed } }) {
        const changed = await writer.change({
          actorId: userId,
          id: params.id,
          propose(stored, now) {
            if (stored.deletedAt !== undefined) throw new RequestRefused('message_deleted')
            if (emoji !== '') refuseSealed(stored)
            return react(stored, { userId, emoji, sealed, now })
          },
          isDone: ({ reactions }) =>
            reactions?.[userId]?.emoji === emoji && reactions[userId].sealed === sealed,
        })
        return await presenter.presentOne(userId, changed)
      },
    }),
  ]
}
