import * as z from 'zod/mini'
import {
  type SendWhatsApp,
  type WhatsAppSent,
  type WhatsAppTemplate,
  whatsAppSent,
  whatsAppTemplate,
} from '../../schema/api/send-whatsapp.ts'
import {
  type WebhookStats,
  type WebhookStatusAnswer,
  type WhatsAppStatusAnswer,
  webhookReprocessed,
  webhookStats,
  webhookStatusAnswer,
  whatsAppStatusAnswer,
} from '../../schema/api/webhook-answers.ts'
import {
  type NewWhatsAppContact,
  type WhatsAppChannel,
  type WhatsAppContact,
  whatsAppChannel,
  whatsAppContact,
} from '../../schema/api/whatsapp-link.ts'
import { requireInput } from './api-error.ts'
import type { Caller, CallOptions } from './caller.ts'

/** A file that WhatsApp fetches from the author's own server. */
interface LinkedFile {
  link: string
  caption?: string
}

const buttonIdPrefix = 'btn_'

/**
 * The business channel. The app itself writes messages into the device's database, and replication
 * carries them; the send calls here are for programs.
 */
export function createChannelCalls(call: Caller) {
  async function send(
    sent: SendWhatsApp,
    fallback: string,
    options?: CallOptions,
  ): Promise<WhatsAppSent> {
    requireInput(sent?.to, 'Phone number is required')
    requireInput(sent.message, 'Missing required message data')
    const path = '/webhooks/send'
    return await call({
      ...options,
      method: 'POST',
      path,
      body: sent,
      answer: whatsAppSent,
      fallback,
    })
  }

  return {
    /** This server's channel, and the caller's number on it. */
    get: (): Promise<WhatsAppChannel> =>
      call({
        path: '/users/me/whatsapp',
        answer: whatsAppChannel,
        fallback: 'Failed to fetch the WhatsApp channel',
      }),

    /** Finds or creates the customer with this number, which starts the conversation. */
    async addContact(contact: NewWhatsAppContact, options?: CallOptions): Promise<WhatsAppContact> {
      requireInput(contact?.phone_number, 'Phone number is required')
      return await call({
        ...options,
        method: 'POST',
        path: '/users/contacts',
        body: contact,
        answer: whatsAppContact,
        fallback: 'Failed to start the chat',
      })
    },

    async getContact(contactId: string): Promise<WhatsAppContact> {
      requireInput(contactId, 'User ID is required')
      return await call({
        path: `/users/contacts/${encodeURIComponent(contactId)}`,
        answer: whatsAppContact,
        fallback: 'Failed to fetch user',
      })
    },

    /** The account's approved templates. */
    listTemplates: (): Promise<WhatsAppTemplate[]> =>
      call({
        path: '/webhooks/templates',
        answer: z.array(whatsAppTemplate),
        fallback: 'Failed to fetch the templates',
      }),

    sendText: (to: string, text: string, options?: CallOptions): Promise<WhatsAppSent> =>
      send({ to, type: 'text', message: text }, 'Failed to send WhatsApp message', options),

    sendTemplate: (
      to: string,
      template: { name: string; language?: string; components?: readonly unknown[] },
      options?: CallOptions,
    ): Promise<WhatsAppSent> => {
      const { name, language = 'en', components = [] } = template
      const message = { name, language: { code: language }, components }
      return send({ to, type: 'template', message }, 'Failed to send template message', options)
    },

    /** A button without an id gets `btn_` and its index. */
    sendButtons: (
      to: string,
      given: { text: string; buttons: readonly { id?: string; title: string }[] },
      options?: CallOptions,
    ): Promise<WhatsAppSent> => {
      const buttons = given.buttons.map(({ id, title }, index) => ({
        type: 'reply',
        reply: { id: id ?? `${buttonIdPrefix}${index}`, title },
      }))
      const message = { type: 'button', body: { text: given.text }, action: { buttons } }
      return send({ to, type: 'interactive', message }, 'Failed to send button message', options)
    },

    sendList: (
      to: string,
      given: { text: string; button: string; sections: readonly unknown[] },
      options?: CallOptions,
    ): Promise<WhatsAppSent> => {
      const { text, button, sections } = given
      const message = { type: 'list', body: { text }, action: { button, sections } }
      return send({ to, type: 'interactive', message }, 'Failed to send list message', options)
    },

    sendImage: (to: string, image: LinkedFile, options?: CallOptions): Promise<WhatsAppSent> =>
      send({ to, type: 'image', message: image }, 'Failed to send image message', options),

    sendDocument: (
      to: string,
      document: LinkedFile & { filename?: string },
      options?: CallOptions,
    ): Promise<WhatsAppSent> =>
      send({ to, type: 'document', message: document }, 'Failed to send document message', options),

    /** A message's status. @param messageId ours, or WhatsApp's */
    async getMessageStatus(messageId: string): Promise<WhatsAppStatusAnswer> {
      requireInput(messageId, 'Message ID is required')
      return await call({
        path: `/webhooks/message-status/${encodeURIComponent(messageId)}`,
        answer: whatsAppStatusAnswer,
        fallback: 'Failed to get message status history',
      })
    },

    async getWebhookStatus(eventId: string): Promise<WebhookStatusAnswer> {
      requireInput(eventId, 'Webhook ID is required')
      return await call({
        path: `/webhooks/status/${encodeURIComponent(eventId)}`,
        answer: webhookStatusAnswer,
        fallback: 'Failed to get webhook status',
      })
    },

    async reprocessWebhook(eventId: string): Promise<z.infer<typeof webhookReprocessed>> {
      requireInput(eventId, 'Webhook ID is required')
      return await call({
        method: 'POST',
        path: `/webhooks/reprocess/${encodeURIComponent(eventId)}`,
        answer: webhookReprocessed,
        fallback: 'Failed to reprocess webhook',
      })
    },

    getWebhookStats: (): Promise<WebhookStats> =>
      call({
        path: '/webhooks/stats',
        answer: webhookStats,
        fallback: 'Failed to get webhook statistics',
      }),
  }
}
