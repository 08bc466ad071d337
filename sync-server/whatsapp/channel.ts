import type { RequestHandler } from 'express'
import type { ServerEvent } from '../../schema/api/socket-events.ts'
import { idPattern } from '../../schema/id.ts'
import type { MessageDocument } from '../../schema/message.ts'
import type { Accounts } from '../access/accounts.ts'
import type { Relations } from '../access/relations.ts'
import type { Log } from '../lib/log.ts'
import type { Media } from '../media/media.ts'
import { type OutboxEntry, outboxDatabase } from '../messages/acceptance/outbox-entry.ts'
import type { Acceptance } from '../messages/message-acceptance.ts'
import type { Storage } from '../storage/storage.ts'
import { type ChannelClock, realClock } from './client/channel-clock.ts'
import { createCircuitBreaker } from './client/circuit-breaker.ts'
import { createGraphClient, type GraphClient } from './client/graph-client.ts'
import { createNumberCheck } from './client/number-check.ts'
import { fetchNumberInformation } from './client/number-information.ts'
import type { ProviderError } from './client/provider-error.ts'
import { createSendLimiter } from './client/send-limiter.ts'
import type { WhatsAppSettings } from './client/whatsapp-settings.ts'
import { createWhatsAppMedia } from './content/channel-media.ts'
import { createInboundMedia, type MediaJob } from './content/inbound-media.ts'
import type { ContactDocument } from './customers/contact-documents.ts'
import type { Contacts } from './customers/contacts.ts'
import { createConversationSignals } from './customers/conversation-signals.ts'
import { nameConversation, nameOfContact } from './customers/present-contact.ts'
import { inboundMessageKey } from './inbound/inbound-message.ts'
import { createMessageIndex, type MessageIndexDocument } from './inbound/message-index.ts'
import { createOperatorCopies } from './inbound/operator-copies.ts'
import { createOperators } from './inbound/operators.ts'
import { createChannelCalls } from './sending/channel-calls.ts'
import { createQueuedSender } from './sending/queued-sender.ts'
import { createMessageSender } from './sending/send-message.ts'
import { createOutbox } from './sending/send-queue.ts'
import { fetchTemplates } from './sending/template-list.ts'
import { createTemplates } from './sending/templates.ts'
import { createItemApplier } from './webhooks/apply-item.ts'
import { createStatusApplier } from './webhooks/apply-status.ts'
import type { ApplyTools } from './webhooks/apply-tools.ts'
import { createChannelStats } from './webhooks/channel-stats.ts'
import type { WebhookDocument, WebhookEvent } from './webhooks/webhook-event.ts'
import { createWebhookEvents } from './webhooks/webhook-events.ts'
import { createWebhookInbox } from './webhooks/webhook-inbox.ts'
import { createWebhookRouter } from './webhooks/webhook-router.ts'

const permissions = 'whatsapp_business_messaging and whatsapp_business_management'

const unreachable =
  'WhatsApp is not reachable at WHATSAPP_GRAPH_BASE_URL. What is sent there waits until it is.'

export type Channel = ReturnType<typeof createChannel>

/** The real WhatsApp never runs on this machine. */
function isOnThisMachine(graphBaseUrl: string): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(graphBaseUrl).hostname)
}

const dayMs = 24 * 60 * 60_000

const takeOverEveryMs = 60_000

/**
 * The business channel: joins everything that speaks with WhatsApp.
 * @param acceptance the way in for the provider's messages, without personal limits
 * @param acceptMessages the way in for people's messages
 * @param isShared other servers use the same storage
 * @param tell notifies a person's devices
 * @param isAlone is nobody active but this owner of work?
 * @param takeBody wraps a body reader in the limits for strangers
 */
export function createChannel(options: {
  settings: WhatsAppSettings
  storage: Storage
  isShared: boolean
  accounts: Accounts
  relations: Pick<Relations, 'readBlocks'>
  contacts: Contacts
  acceptance: Pick<Acceptance, 'acceptMessages' | 'acceptConversations'>
  acceptMessages: Acceptance['acceptMessages']
  files: Media
  tell: (userId: string, event: ServerEvent) => void
  admit: RequestHandler
  takeBody: (read: RequestHandler) => RequestHandler
  clock?: ChannelClock | undefined
  webhookRetryWaitsMs?: readonly number[] | undefined
  isAlone?: ((key: string) => boolean) | undefined
  log: Log
  onError: (error: unknown) => void
}) {
  const { settings, storage, accounts, relations, contacts, files, log, onError } = options
  const { isShared, admit, takeBody, clock = realClock } = options
  const { appSecret, verifyToken, businessAccountId, eventRetentionDays } = settings
  const { now, waiting } = clock
  const learned = { displayNumber: settings.displayPhoneNumber ?? null }

  const client = createGraphClient({ settings })
  const templates = createTemplates({ client, businessAccountId })
  const provider = createWhatsAppMedia({ client, settings })
  const breaker = createCircuitBreaker({
    now: waiting.now,
    onOpen: ({ code, details }) =>
      log.error({ code, details }, 'WhatsApp does not let this server send: all sends are stopped'),
  })
  const limiter = createSendLimiter({ messagesPerSecond: settings.messagesPerSecond, waiting })
  const sender = createMessageSender({ client, limiter, breaker, waiting })

  const index = createMessageIndex({
    database: storage.database<MessageIndexDocument>('whatsapp-messages'),
    now,
  })
  const operators = createOperators({
    accounts,
    contacts,
    index,
    settings,
    readDisplayNumber: () => learned.displayNumber,
  })
  const copies = createOperatorCopies({ storage, acceptance: options.acceptance, contacts, now })
  const stats = createChannelStats()
  const counted = { sent: 0, failed: 0 }

  const tellStatus: ApplyTools['tell']['status'] = (ownerId, message) => {
    const event = describeStatus(message, now())
    if (event) options.tell(ownerId, event)
  }
  const media = createInboundMedia({
    database: storage.database<MediaJob>('whatsapp-files'),
    media: files,
    provider,
    copies,
    clock,
    onError,
    onReady(ownerId, message) {
      tellReceived(ownerId, message).catch(onError)
    },
  })
  async function tellReceived(...[ownerId, message]: Parameters<typeof tellStatus>) {
    const contact = await contacts.find(ownerId, message.peerId)
    if (contact) options.tell(ownerId, describeReceived(message, contact))
  }

  const tools: ApplyTools = {
    operators,
    contacts,
    copies,
    index,
    media,
    files,
    now,
    settleOutbox: (name) => outbox.settle(name),
    async isBlocked(ownerId, contactId) {
      return (await relations.readBlocks(ownerId)).blocked.has(contactId)
    },
    tell: {
      received: (message, contact) =>
        options.tell(contact.ownerId, describeReceived(message, contact)),
      status: tellStatus,
    },
    record: stats.record,
  }
  const queuedSender = createQueuedSender({
    copies,
    contacts,
    operators,
    accounts,
    index,
    files,
    media: provider,
    templates,
    sender,
    settings,
    clock,
    applyParked: createStatusApplier(tools).applyParked,
    onStatus(ownerId, message) {
      counted[message.status === 'failed' ? 'failed' : 'sent'] += 1
      tellStatus(ownerId, message)
    },
    recordSent: (phoneNumberId, type) => stats.record({ phoneNumberId, kind: 'outbound', type }),
  })
  const outbox = createOutbox({
    database: storage.database<OutboxEntry>(outboxDatabase),
    clock,
    attempt: queuedSender.attempt,
    giveUp: queuedSender.giveUp,
    onError,
  })
  const calls = createChannelCalls({
    contacts,
    operators,
    copies,
    outbox,
    templates,
    acceptMessages: options.acceptMessages,
  })
  const signals = createConversationSignals({ client, contacts, settings, now, onError })

  const events = createWebhookEvents({
    database: storage.database<WebhookDocument>('whatsapp-events'),
    isShared,
    now,
  })
  const inbox = createWebhookInbox({
    events,
    now,
    isAlone: options.isAlone,
    onError,
    ...(options.webhookRetryWaitsMs && { retryWaitsMs: options.webhookRetryWaitsMs }),
    apply: createItemApplier({ tools, templates, log }),
    onProcessed(event) {
      stats.recordEvent(event)
      tellProcessed(event, options.tell)
    },
  })
  const webhooks = createWebhookRouter({
    inbox,
    appSecret,
    verifyToken,
    admit,
    takeBody,
    onError,
    onInvalidSignature: (what) =>
      log.error({ signature: what }, 'a webhook was refused: is WHATSAPP_APP_SECRET right?'),
  })
  const timers: { daily?: NodeJS.Timeout; callOff?: () => void; isOver?: boolean } = {}

  /** Takes over the work of a server that ended permanently. */
  function takeOverLater() {
    if (timers.isOver) return
    timers.callOff = clock.after(takeOverEveryMs, () => {
      takeOver().catch(onError).finally(takeOverLater)
    })
  }

  async function takeOver() {
    await outbox.resume()
    await inbox.takeOver()
    await media.resume()
  }

  function endTimers() {
    timers.isOver = true
    clearInterval(timers.daily)
    timers.callOff?.()
  }

  async function expire() {
    await events.expire(now() - eventRetentionDays * dayMs)
    await index.expireParked()
  }

  async function learnNumber() {
    if (learned.displayNumber !== null) return
    const found = await fetchNumberInformation(client, settings.phoneNumberId)
    if (found.kind === 'found') learned.displayNumber = found.value.digits
  }

  return {
    router: webhooks.router,
    settings,
    calls,
    signals,
    stats,
    events,
    inbox,
    copies,
    operators,
    contacts,
    isSandbox: isOnThisMachine(settings.graphBaseUrl),
    countPending: () => inbox.levels().gauges.petrel_webhooks_pending?.read() ?? 0,
    /** One of an operator's own messages, by our id or by WhatsApp's. */
    async findMessage(ownerId: string, id: string) {
      const place = id.startsWith('wamid.') ? await operators.findPlace(ownerId) : null
      const named = place && (await index.find(place.phoneNumberId, id))
      const inbound = place && inboundMessageKey(place.phoneNumberId, id)
      const messageId = named?.ownerId === ownerId ? named.messageId : (inbound ?? id)
      const message = idPattern.test(messageId) ? await copies.read(ownerId, messageId) : undefined
      return message?.isWhatsApp ? message : undefined
    },
    checkNumber: createNumberCheck({ client, settings }),
    readInvalidSignatures: webhooks.countInvalid,
    readDisplayNumber: () => learned.displayNumber,
    /** Takes stored messages that go out over the channel. */
    takeQueued: outbox.add,
    levels: [
      inbox.levels(),
      webhooks.levels(),
      {
        gauges: {
          petrel_whatsapp_outbox: {
            help: 'Messages that wait to leave over WhatsApp.',
            read: outbox.countWaiting,
          },
          petrel_whatsapp_unconfirmed: {
            help: 'Messages of which WhatsApp has not said whether it took them.',
            read: outbox.countUnknown,
          },
          petrel_whatsapp_limited: {
            help: 'Sends that wait for their turn at the limiter, or are under way.',
            read: limiter.countWaiting,
          },
          petrel_whatsapp_files_pending: {
            help: 'Files of customers that have yet to be fetched.',
            read: media.countPending,
          },
        },
        counters: {
          petrel_whatsapp_sent_total: {
            help: 'Messages that WhatsApp has taken.',
            read: () => counted.sent,
          },
          petrel_whatsapp_failed_total: {
            help: 'Messages that WhatsApp refused, or that could not be sent.',
            read: () => counted.failed,
          },
        },
      },
    ],

    /**
     * Resumes stored work, and reports wrong settings. An expired token does not block the start.
     */
    async start() {
      timers.daily = setInterval(() => expire().catch(onError), dayMs).unref()
      await outbox.resume()
      await inbox.resume()
      await media.resume()
      if (isShared) takeOverLater()
      await expire()
      await learnNumber()
      const { inboxUserId } = settings
      if (inboxUserId !== undefined && !(await accounts.find(inboxUserId))) {
        log.error(
          'WHATSAPP_INBOX_USER_ID names no account here: messages to an unlinked number are stored, but nobody sees them.',
        )
      }
      for (const fault of await checkChannel({ client, settings })) log.error(fault)
    },

    async close() {
      endTimers()
      await inbox.close()
      await outbox.close()
      await media.close()
    },

    /** As `close`, without waiting: for tests of crashes. */
    drop() {
      endTimers()
      inbox.drop()
      outbox.drop()
      media.drop()
    },
  }
}

/** Tells each operator that a webhook concerns the result of their part. */
function tellProcessed(event: WebhookEvent, tell: (userId: string, event: ServerEvent) => void) {
  const owners = new Set(event.items.flatMap(({ ownerId }) => ownerId ?? []))
  for (const ownerId of owners) {
    const own = event.items.filter((item) => item.ownerId === ownerId)
    const count = (isCounted: (item: (typeof own)[number]) => boolean) =>
      own.filter(isCounted).length
    tell(ownerId, {
      event: 'whatsapp-webhook-processed',
      data: {
        eventId: event._id,
        status: event.status,
        field: 'messages',
        error: event.error,
        messages: count(({ kind }) => kind === 'message' || kind === 'echo'),
        statuses: count(({ kind }) => kind === 'status'),
        duplicates: count(({ outcome }) => outcome === 'duplicate'),
        processedAt: new Date(event.processedAt ?? event.receivedAt).toISOString(),
        messageIds: [...new Set(own.flatMap(({ messageId }) => messageId ?? []))],
      },
    })
  }
}

type Checked = Pick<WhatsAppSettings, 'phoneNumberId' | 'businessAccountId' | 'displayPhoneNumber'>

/**
 * Checks the settings with WhatsApp: the token, the number, the account.
 * @returns one sentence for each fault, none with a secret in it
 */
export async function checkChannel({
  client,
  settings,
}: {
  client: GraphClient
  settings: Checked
}): Promise<string[]> {
  const number = await fetchNumberInformation(client, settings.phoneNumberId)
  if (number.kind === 'unanswered') return [unreachable]
  if (number.kind === 'refused') return [describeRefusal(number.error, 'WHATSAPP_PHONE_NUMBER_ID')]
  const { digits, isConnected, status } = number.value
  const account = await fetchTemplates(client, settings.businessAccountId, { limit: 1, pages: 1 })
  const { displayPhoneNumber } = settings
  return [
    isConnected
      ? null
      : `The number of WHATSAPP_PHONE_NUMBER_ID cannot send: WhatsApp says ${status}. Register it at Meta.`,
    displayPhoneNumber !== undefined && displayPhoneNumber !== digits
      ? 'WHATSAPP_DISPLAY_PHONE_NUMBER is not the number that WHATSAPP_PHONE_NUMBER_ID stands for.'
      : null,
    account.kind === 'refused'
      ? describeRefusal(account.error, 'WHATSAPP_BUSINESS_ACCOUNT_ID')
      : null,
  ].filter((sentence) => sentence !== null)
}

function describeRefusal({ code, words }: ProviderError, name: string): string {
  if (code === null) return unreachable
  if (code === 0 || code === 190) {
    return 'WhatsApp does not accept WHATSAPP_ACCESS_TOKEN. Make a new token of a system user at Meta.'
  }
  if (code === 3 || code === 10 || (code >= 200 && code <= 299)) {
    return `WHATSAPP_ACCESS_TOKEN may not use ${name}. It needs ${permissions}.`
  }
  if (code === 100 || code === 33) {
    return `${name} is nothing that WHATSAPP_ACCESS_TOKEN can see at WhatsApp. Compare both with Meta's page.`
  }
  return `WhatsApp refuses ${name}: ${words}`
}

/**
 * The event of a received message for the operator's devices; sent again with the same id once its
 * file exists.
 */
function describeReceived(message: MessageDocument, contact: ContactDocument): ServerEvent {
  const { _id, senderId, content, type, status, createdAt } = message
  return {
    event: 'whatsapp-message-received',
    data: {
      messageId: _id,
      senderId,
      senderUsername: nameOfContact(contact),
      message: content,
      content,
      type,
      status,
      isWhatsApp: true,
      timestamp: message.whatsapp_timestamp ?? new Date(createdAt).toISOString(),
      whatsapp_message_id: message.whatsapp_message_id ?? null,
      from_phone: message.from_phone ?? null,
      to_phone: message.to_phone ?? null,
      conversationId: nameConversation(contact),
      mediaUrl: message.mediaUrl ?? null,
      interactive: message.interactive ?? null,
      button: message.button ?? null,
      list_reply: message.list_reply ?? null,
      location: message.location ?? null,
      contacts: message.contacts ?? null,
      replyTo: message.replyTo ?? null,
    },
  }
}

/** The event of a sent message's new status or failure; null without news. */
function describeStatus(message: MessageDocument, now: number): ServerEvent | null {
  const { _id, status, statusHistory, whatsapp_message_id = null } = message
  if (status === 'sending') return null
  const at = statusHistory.findLast((one) => one.status === status)?.timestamp ?? now
  return {
    event: 'whatsapp-status-update',
    data: {
      messageId: _id,
      whatsapp_message_id,
      status,
      timestamp: new Date(at).toISOString(),
      error: message.error ?? null,
      code: readCode(message.errorCode),
    },
  }
}

/** WhatsApp's own error number, if it is one. */
function readCode(errorCode: string | undefined): string | number | null {
  const [, digits] = /^whatsapp_(\d+)$/.exec(errorCode ?? '') ?? []
  return digits ? Number(digits) : (errorCode ?? null)
}
