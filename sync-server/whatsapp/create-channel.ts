import type { RequestHandler } from 'express'
import type { Log } from '../create-log.ts'
import type { Storage } from '../storage/create-storage.ts'
import { checkChannel } from './check-channel.ts'
import { createGraphClient } from './graph-client.ts'
import { createTemplates } from './templates.ts'
import { createItemApplier } from './webhooks/apply-item.ts'
import { createWebhookRouter } from './webhooks/create-webhook-router.ts'
import type { WebhookEvent } from './webhooks/webhook-event.ts'
import { createWebhookEvents } from './webhooks/webhook-events.ts'
import { createWebhookInbox } from './webhooks/webhook-inbox.ts'
import type { WhatsAppSettings } from './whatsapp-settings.ts'

const dayMs = 24 * 60 * 60_000

/**
 * The business channel: everything that speaks with WhatsApp, joined.
 * @param takeBody puts a reader of a body behind what bounds a stranger's bytes
 */
export function createChannel(options: {
  settings: WhatsAppSettings
  storage: Storage
  admit: RequestHandler
  takeBody: (read: RequestHandler) => RequestHandler
  log: Log
  onError: (error: unknown) => void
}) {
  const { settings, storage, admit, takeBody, log, onError } = options
  const { appSecret, verifyToken, businessAccountId, eventRetentionDays } = settings
  const client = createGraphClient({ settings })
  const templates = createTemplates({ client, businessAccountId })
  const events = createWebhookEvents({
    database: storage.database<WebhookEvent>('whatsapp-events'),
  })
  const inbox = createWebhookInbox({
    ...{ events, onError },
    apply: createItemApplier({ templates, log }),
  })
  const webhooks = createWebhookRouter({
    ...{ inbox, appSecret, verifyToken, admit, takeBody, onError },
    onInvalidSignature: (what) =>
      log.error({ signature: what }, 'a webhook was refused: is WHATSAPP_APP_SECRET right?'),
  })
  const timers: { daily?: NodeJS.Timeout } = {}

  async function expire() {
    await events.expire(Date.now() - eventRetentionDays * dayMs)
  }

  return {
    router: webhooks.router,
    levels: [inbox.levels(), webhooks.levels()],

    /** Goes on with what was kept, and tells what is set wrong. A token that ran out keeps nobody else from starting. */
    async start() {
      timers.daily = setInterval(() => expire().catch(onError), dayMs).unref()
      await inbox.resume()
      await expire()
      for (const fault of await checkChannel({ client, settings })) log.error(fault)
    },

    async close() {
      clearInterval(timers.daily)
      await inbox.close()
    },

    /** As `close`, without waiting: for tests of crashes. */
    drop() {
      clearInterval(timers.daily)
      inbox.drop()
    },
  }
}
