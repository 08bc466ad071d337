import type { Router } from 'express'
import express from 'express'
import * as z from 'zod/mini'
import { sendWhatsApp, whatsAppSent, whatsAppTemplate } from '../../schema/api/send-whatsapp.ts'
import {
  webhookReprocessed,
  webhookStats,
  webhookStatusAnswer,
  whatsAppStatusAnswer,
} from '../../schema/api/webhook-answers.ts'
import { toIso, toIsoOrNull } from '../lib/to-iso.ts'
import type { Channel } from '../whatsapp/channel.ts'
import type { WebhookEvent } from '../whatsapp/webhooks/webhook-event.ts'
import { requireChannel } from './contact-routes.ts'
import { idempotencyKey, RequestRefused } from './core/request-refused.ts'
import { defineRoute, type Route } from './core/route.ts'
import type { MessagePresenter } from './messages/message-presenter.ts'
import { channelSendErrors } from './messages/sending-routes.ts'

const idParam = z.object({ id: z.string() })

/** Sending over the business channel, and the results of sent and received messages. */
export function createWebhookRoutes(options: {
  channel: Channel | undefined
  presenter: MessagePresenter
}): Route[] {
  const { channel, presenter } = options

  /** Finds webhooks about the caller only; reveals nothing of others. */
  async function findEvent(userId: string, id: string): Promise<WebhookEvent> {
    const { events, operators } = requireChannel(channel)
    const event = id.startsWith('whe_') ? await events.read(id) : await findLatest(userId, id)
    const number = (await operators.findOwnNumber(userId)) ?? ''
    const isOwn = event?.items.some(({ ownerId, phoneNumberId }) =>
      ownerId === null ? phoneNumberId === number : ownerId === userId,
    )
    if (!event || !isOwn) throw new RequestRefused('webhook_not_found')
    return event
  }

  async function findLatest(userId: string, id: string): Promise<WebhookEvent | undefined> {
    const { events, findMessage } = requireChannel(channel)
    const message = await findMessage(userId, id)
    return message && (await events.findLatest(userId, message._id))
  }

  return [
    defineRoute({
      method: 'post',
      path: '/webhooks/send',
      access: 'signed-in',
      summary:
        'Sends a message over WhatsApp: a text, a template, buttons, a list, a file, a place or contacts. The same id again is the same message, and answers 200.',
      headers: idempotencyKey,
      body: sendWhatsApp,
      status: 201,
      otherStatuses: { 200: 'A message with this id was sent before: it is the answer.' },
      answer: whatsAppSent,
      errors: channelSendErrors,
      async handle({ caller: { userId: ownerId }, headers, body, response }) {
        const { to, type, message, clientMessageId, replyToMessageId } = body
        const { calls } = requireChannel(channel)
        const sent = await calls.send({
          ownerId,
          to,
          type,
          message,
          messageId: clientMessageId ?? headers['idempotency-key'],
          replyToMessageId: replyToMessageId ?? undefined,
        })
        if (!sent.isNew) response.status(200)
        const { waId, phone } = sent.contact
        const { _id: messageId, whatsapp_message_id = null, status, createdAt } = sent.message
        return {
          success: true as const,
          messageId,
          whatsapp_message_id,
          status,
          queued: sent.isQueued,
          to: phone ?? waId,
          wa_id: waId,
          type: sent.message.type,
          timestamp: sent.message.whatsapp_timestamp ?? toIso(createdAt),
          message: await presenter.presentOne(ownerId, sent.message),
        }
      },
    }),

    defineRoute({
      method: 'get',
      path: '/webhooks/templates',
      access: 'signed-in',
      summary: 'The approved templates of the WhatsApp account.',
      status: 200,
      answer: z.array(whatsAppTemplate),
      errors: [
        ...(['whatsapp_not_configured', 'whatsapp_not_linked', 'whatsapp_refused'] as const),
        ...(['whatsapp_slowed', 'whatsapp_unavailable', 'whatsapp_unreachable'] as const),
      ],
      handle: async ({ caller: { userId } }) =>
        await requireChannel(channel).calls.listTemplates(userId),
    }),

    defineRoute({
      method: 'get',
      path: '/webhooks/message-status/{id}',
      access: 'signed-in',
      summary: 'How far one of your WhatsApp messages came, and when; by its own id.',
      params: idParam,
      status: 200,
      answer: whatsAppStatusAnswer,
      errors: ['whatsapp_not_configured', 'message_not_found'],
      async handle({ caller: { userId }, params: { id } }) {
        const message = await requireChannel(channel).findMessage(userId, id)
        if (!message) throw new RequestRefused('message_not_found')
        return {
          messageId: message._id,
          whatsapp_message_id: message.whatsapp_message_id ?? null,
          status: message.status,
          history: await presenter.presentHistory(userId, message),
          error: message.error ?? null,
        }
      },
    }),

    defineRoute({
      method: 'get',
      path: '/webhooks/status/{id}',
      access: 'signed-in',
      summary:
        'What became of a webhook that was about you: by its own id, or the latest one about a message, by an id of the message.',
      params: idParam,
      status: 200,
      answer: webhookStatusAnswer,
      errors: ['whatsapp_not_configured', 'webhook_not_found'],
      async handle({ caller: { userId }, params: { id } }) {
        const event = await findEvent(userId, id)
        const isBusy = requireChannel(channel).inbox.isBusy(event._id)
        const own = event.items.filter(({ ownerId }) => ownerId === null || ownerId === userId)
        return {
          id: event._id,
          status: isBusy ? ('processing' as const) : event.status,
          attempts: event.attempts,
          receivedAt: toIso(event.receivedAt),
          processedAt: toIsoOrNull(event.processedAt ?? 0),
          items: own.map(({ kind, wamid, outcome, messageId }) => ({
            kind,
            whatsapp_message_id: wamid,
            outcome,
            messageId,
          })),
          error: event.error,
        }
      },
    }),

    defineRoute({
      method: 'post',
      path: '/webhooks/reprocess/{id}',
      access: 'signed-in',
      summary:
        'Processes a webhook that was about you once more. What is done already is not done again.',
      params: idParam,
      status: 202,
      answer: webhookReprocessed,
      errors: [
        ...(['whatsapp_not_configured', 'webhook_not_found'] as const),
        ...(['webhook_busy', 'webhook_expired'] as const),
      ],
      async handle({ caller: { userId }, params: { id } }) {
        const { _id: eventId } = await findEvent(userId, id)
        const begun = await requireChannel(channel).inbox.reprocess(eventId)
        if (begun === 'busy') throw new RequestRefused('webhook_busy')
        if (begun === 'expired') throw new RequestRefused('webhook_expired')
        if (begun === 'unknown') throw new RequestRefused('webhook_not_found')
        return { success: true as const, id: eventId, status: 'processing' as const }
      },
    }),

    defineRoute({
      method: 'get',
      path: '/webhooks/stats',
      access: 'signed-in',
      summary: 'What came and went over your number since this server started.',
      status: 200,
      answer: webhookStats,
      errors: ['whatsapp_not_configured', 'whatsapp_not_linked'],
      async handle({ caller: { userId } }) {
        const { calls, operators, stats, readInvalidSignatures, countPending } =
          requireChannel(channel)
        await calls.requirePlace(userId)
        const own = await operators.findOwnNumber(userId)
        return {
          phone_number_id: own ?? null,
          ...stats.read(own ?? ''),
          invalidSignatures: own === undefined ? 0 : readInvalidSignatures(),
          pending: own === undefined ? 0 : countPending(),
        }
      },
    }),
  ]
}

/** The webhook address on a server without the channel: tells callers why it accepts nothing. */
export function createClosedWebhooks(): Router {
  const router: Router = express.Router({ caseSensitive: true })
  router.all('/webhooks/whatsapp', (request) => {
    request.routeName = `${request.baseUrl}/webhooks/whatsapp`
    throw new RequestRefused('whatsapp_not_configured')
  })
  return router
}
