import * as z from 'zod/mini'
import type { ErrorCode } from '../../../schema/api/api-error.ts'
import { forwarding } from '../../../schema/api/change-message.ts'
import { type MessageAnswer, messageAnswer } from '../../../schema/api/message-answer.ts'
import { sendMessage } from '../../../schema/api/send-message.ts'
import { unreachable } from '../../../schema/helpers/assertions.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import type { FairQueue } from '../../budget/fair-queue.ts'
import type { MessageRate } from '../../budget/message-rate.ts'
import { deriveId } from '../../lib/derive-id.ts'
import type { Channel } from '../../whatsapp/channel.ts'
import type { ChannelSent } from '../../whatsapp/sending/channel-calls.ts'
import { idempotencyKey, RequestRefused } from '../core/request-refused.ts'
import { defineRoute, type Route } from '../core/route.ts'
import type { GroupCalls } from './group-calls.ts'
import type { MessagePresenter } from './message-presenter.ts'
import { type MessageWriter, throwRefusal } from './message-writer.ts'
import type { OwnMessages } from './own-messages.ts'
import { refuseSealed } from './refuse-sealed.ts'

/** The refusals of sending over the business channel. */
export const channelSendErrors = [
  ...(['whatsapp_not_configured', 'whatsapp_not_linked', 'whatsapp_refused'] as const),
  ...(['whatsapp_slowed', 'whatsapp_unavailable', 'whatsapp_unreachable'] as const),
  ...(['foreign_id', 'empty', 'too_long', 'media_not_allowed', 'unknown_person'] as const),
  ...(['type_not_allowed', 'storage_full', 'too_many_messages', 'deleted'] as const),
] as const satisfies readonly ErrorCode[]

/** The refusals of writing in a group, beside those of every message. */
const groupSendErrors = [
  ...(['group_not_found', 'group_left', 'admins_only', 'not_in_group'] as const),
  ...(['unreadable', 'wrong_sender', 'not_author'] as const),
] as const satisfies readonly ErrorCode[]

const sentPerTurn = 4

/** Sending and forwarding messages. */
export function createSendingRoutes(options: {
  messages: OwnMessages
  writer: MessageWriter
  presenter: MessagePresenter
  rate: Pick<MessageRate, 'describe'>
  forwards: FairQueue
  channel: Pick<Channel, 'calls'> | undefined
  /** Undefined while there are no groups. */
  groups: GroupCalls | undefined
}): Route[] {
  const { messages, writer, presenter, rate, forwards, channel, groups } = options
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
        ...(groups ? groupSendErrors : []),
      ],
      async handle({ caller: { userId }, headers, body, response }) {
        const { recipientId, content, sealed, type, replyToMessageId, mediaUrl } = body
        const { mentions = [] } = body
        const _id = readId(body._id, headers['idempotency-key'])
        if (body.whatsappData) {
          const sent = await sendOverChannel(channel, { ...body, _id, ownerId: userId })
          if (!sent.isNew) response.status(200)
          return await presenter.presentOne(userId, sent.message)
        }
        const message = {
          _id,
          content,
          sealed,
          type,
          replyToMessageId: replyToMessageId ?? undefined,
          mediaUrl: mediaUrl || undefined,
        }
        if (groups && (await groups.isOfPerson(userId, recipientId))) {
          const named = await groups.nameMentioned(userId, recipientId, { ...message, mentions })
          const { shown, isNew } = await groups.send(userId, recipientId, { ...message, ...named })
          response.set(rate.describe(userId))
          if (!isNew) response.status(200)
          return shown
        }
        if (mentions.length > 0) {
          const words = 'Only in a group can a message mention somebody.'
          throw new RequestRefused('invalid_input', { words })
        }
        const sending = writer.send({ senderId: userId, recipientId, message })
        // Reads the people while the message is being written.
        const [{ message: stored, isCreated, refusal }, people] = await Promise.all([
          sending,
          presenter.readPeople(userId, [userId, recipientId]),
        ])
        response.set(rate.describe(userId))
        throwRefusal(refusal)
        if (isCreated) return presenter.presentNew(stored, people)
        response.status(200)
        return await presenter.presentOne(userId, stored)
      },
    }),

    defineRoute({
      method: 'post',
      path: '/messages/{id}/forward',
      access: 'signed-in',
      summary:
        'Sends a message on to several people and groups. One that is refused is in the list too, failed, with the reason.',
      params: z.object({ id: z.string() }),
      headers: idempotencyKey,
      body: forwarding,
      status: 201,
      otherStatuses: {
        207: 'Some were refused: their status is `failed`, their `error` says why.',
      },
      answer: z.object({ messages: z.array(messageAnswer) }),
      errors: [
        ...(['message_not_found', 'message_deleted', 'message_sealed'] as const),
        ...(['storage_full', 'too_many_messages'] as const),
      ],
      async handle({ caller: { userId }, params, headers, body, response }) {
        const isOwn = (await messages.findStored(userId, params.id)) !== undefined
        const inGroup = isOwn ? undefined : await groups?.findMessage(userId, params.id)
        const sent = await forwardMessage({
          ...{ writer, groups, forwards, presenter },
          senderId: userId,
          original: inGroup ?? (await messages.find(userId, params.id)),
          recipientIds: [...new Set(body.recipientIds)],
          key: headers['idempotency-key'],
        })
        if (sent.some(({ status }) => status === 'failed')) response.status(207)
        return { messages: sent }
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

/**
 * Forwards a message's content to each of these people and groups, as new messages: a few in each of its
 * person's turns, because fifty weigh as much as fifty calls.
 * @param key makes a repeated call idempotent
 * @returns one message for each of them, in their order; refused ones are failed, with the reason
 */
async function forwardMessage(asked: {
  writer: MessageWriter
  groups: GroupCalls | undefined
  presenter: MessagePresenter
  senderId: string
  original: MessageDocument
  recipientIds: readonly string[]
  key: string | undefined
  forwards: FairQueue
}): Promise<MessageAnswer[]> {
  const { writer, groups, presenter, senderId, original, recipientIds, key, forwards } = asked
  if (original.deletedAt !== undefined) throw new RequestRefused('message_deleted')
  refuseSealed(original)
  const { content, mediaUrl, file, link } = original
  // Templates and buttons belong to the business channel: forward their content as text.
  const isOfChannel = original.type === 'template' || original.type === 'interactive'
  const type = isOfChannel ? 'text' : original.type
  const send = async (recipientId: string) => {
    const _id = key === undefined ? undefined : deriveId(key, recipientId)
    const message = { _id, content, type, mediaUrl, file, link }
    if (groups && (await groups.isOfPerson(senderId, recipientId))) {
      return { shown: await groups.sendOn(senderId, recipientId, message) }
    }
    return { stored: (await writer.send({ senderId, recipientId, message })).message }
  }
  const sent = await forwards.run({ key: senderId }, async (turn) => {
    const all: Awaited<ReturnType<typeof send>>[] = []
    for (let at = 0; at < recipientIds.length; at += sentPerTurn) {
      const part = recipientIds.slice(at, at + sentPerTurn)
      all.push(...(await turn(() => Promise.all(part.map(send)))))
    }
    return all
  })
  const stored = sent.flatMap((one) => one.stored ?? [])
  const toPeople = await presenter.presentAll(senderId, stored)
  return sent.flatMap((one) => one.shown ?? toPeople.shift() ?? [])
}

type Asked = z.output<typeof sendMessage> & { ownerId: string }

/**
 * Sends a `POST /messages` body over the business channel.
 * @throws RequestRefused as `POST /webhooks/send` does
 */
async function sendOverChannel(
  channel: Pick<Channel, 'calls'> | undefined,
  asked: Asked,
): Promise<ChannelSent> {
  if (!channel) throw new RequestRefused('whatsapp_not_configured')
  const { ownerId, recipientId, whatsappData, _id: messageId } = asked
  const { type, message } = readKind(asked)
  return await channel.calls.send({
    ownerId,
    type,
    message,
    messageId,
    to: whatsappData?.recipientPhone || recipientId,
    replyToMessageId: asked.replyToMessageId ?? undefined,
  })
}

function readKind({ type, content, mediaUrl, whatsappData }: Asked) {
  const kind = type === undefined || type === 'text' ? findKind(whatsappData) : type
  switch (kind) {
    case 'template': {
      const { template_name: name, template_language: code } = whatsappData ?? {}
      const components = whatsappData?.template_components ?? []
      return { type: kind, message: { name, language: { code: code || 'en' }, components } }
    }
    case 'interactive':
    case 'location':
    case 'contacts':
      return { type: kind, message: whatsappData?.[kind] }
    case 'image':
    case 'video':
    case 'document':
      return { type: kind, message: { link: mediaUrl, caption: content || undefined } }
    case 'audio':
      return { type: kind, message: { link: mediaUrl } }
    case 'text':
      return { type: kind, message: content }
    default:
      return unreachable(kind)
  }
}

function findKind(data: Asked['whatsappData']) {
  if (data?.template_name) return 'template'
  if (data?.interactive) return 'interactive'
  if (data?.location) return 'location'
  return data?.contacts ? 'contacts' : 'text'
}
