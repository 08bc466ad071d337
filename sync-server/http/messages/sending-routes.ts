import * as z from 'zod/mini'
import { forwarding } from '../../../schema/api/change-message.ts'
import { messageAnswer } from '../../../schema/api/message-answer.ts'
import { sendMessage } from '../../../schema/api/send-message.ts'
import type { MessageRate } from '../../budget/message-rate.ts'
import type { Channel } from '../../whatsapp/channel.ts'
import { idempotencyKey } from '../core/idempotency-key.ts'
import { RequestRefused } from '../core/request-refused.ts'
import { defineRoute, type Route } from '../core/route.ts'
import { channelSendErrors } from './channel-send-errors.ts'
import { forwardMessage } from './forward-message.ts'
import type { MessagePresenter } from './message-presenter.ts'
import { type MessageWriter, throwRefusal } from './message-writer.ts'
import type { OwnMessages } from './own-messages.ts'
import { sendOverChannel } from './send-over-channel.ts'

/** Sending and forwarding messages. */
export function createSendingRoutes(options: {
  messages: OwnMessages
  writer: MessageWriter
  presenter: MessagePresenter
  rate: Pick<MessageRate, 'describe'>
  channel: Pick<Channel, 'calls'> | undefined
}): Route[] {
  const { messages, writer, presenter, rate, channel } = options
  return [
    defineRoute({
      method: 'post',
      path: '/messages',
      access: 'signed-in',
      summary: 'Sends a message. The same id again is the same message, and answers 200.',
      headers: idempotencyKey,
      body: sendMessage,
      status: 201,
      otherStatuses: { 200: 'A message with this id was sent before: it is the answer.' },
      answer: messageAnswer,
      errors: [
        ...(['unknown_person', 'not_accepted', 'to_yourself', 'foreign_id'] as const),
        ...(['empty', 'too_long', 'type_not_allowed', 'media_not_allowed'] as const),
        ...(['recipient_unavailable', 'storage_full', 'too_many_messages'] as const),
        ...channelSendErrors,
      ],
      async handle({ caller: { userId }, headers, body, response }) {
        const { recipientId, content, type, replyToMessageId, mediaUrl } = body
        const _id = readId(body._id, headers['idempotency-key'])
        if (body.whatsappData) {
          const sent = await sendOverChannel(channel, { ...body, _id, ownerId: userId })
          if (!sent.isNew) response.status(200)
          return await presenter.presentOne(userId, sent.message)
        }
        const sending = writer.send({
          senderId: userId,
          recipientId,
          message: {
            _id,
            content,
            type,
            replyToMessageId: replyToMessageId ?? undefined,
            mediaUrl: mediaUrl || undefined,
          },
        })
        // Reads the people while the message is being written.
        const [{ message, isCreated, refusal }, people] = await Promise.all([
          sending,
          presenter.readPeople(userId, [userId, recipientId]),
        ])
        response.set(rate.describe(userId))
        throwRefusal(refusal)
        if (isCreated) return presenter.presentNew(message, people)
        response.status(200)
        return await presenter.presentOne(userId, message)
      },
    }),

    defineRoute({
      method: 'post',
      path: '/messages/{id}/forward',
      access: 'signed-in',
      summary:
        'Sends a message on to several people. One that is refused is in the list too, failed, with the reason.',
      params: z.object({ id: z.string() }),
      headers: idempotencyKey,
      body: forwarding,
      status: 201,
      otherStatuses: {
        207: 'Some were refused: their status is `failed`, their `error` says why.',
      },
      answer: z.object({ messages: z.array(messageAnswer) }),
      errors: ['message_not_found', 'message_deleted', 'storage_full', 'too_many_messages'],
      async handle({ caller: { userId }, params, headers, body, response }) {
        const sent = await forwardMessage({
          writer,
          senderId: userId,
          original: await messages.find(userId, params.id),
          recipientIds: [...new Set(body.recipientIds)],
          key: headers['idempotency-key'],
        })
        if (sent.some(({ status }) => status === 'failed')) response.status(207)
        return { messages: await presenter.presentAll(userId, sent) }
      },
    }),
  ]
}

/** @throws RequestRefused when the two differ */
function readId(given: string | undefined, key: string | undefined): string | undefined {
  if (given === undefined || key === undefined || given === key) return given ?? key
  const words = 'Idempotency-Key and _id must be the same.'
  throw new RequestRefused('invalid_input', { words })
}
