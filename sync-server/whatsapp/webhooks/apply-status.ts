import type { MessageDocument } from '../../../schema/message.ts'
import { outboxEntryKey, parseOutboxEntryKey } from '../../messages/acceptance/outbox-entry.ts'
import { describeProviderFailure } from '../client/provider-errors.ts'
import type { IndexedMessage } from '../inbound/message-index.ts'
import { nextStatus } from '../inbound/next-status.ts'
import type { StatusItem } from '../inbound/webhook-items.ts'
import type { ApplyTools } from './apply-tools.ts'
import type { ApplyItem } from './webhook-inbox.ts'

type Applied = Awaited<ReturnType<ApplyItem>>

/**
 * Advances a message by a status, never back. Finds it by the provider's id, else by ours, which
 * each status returns: so it also settles unanswered sends.
 */
export function createStatusApplier(tools: ApplyTools) {
  const { index, copies, settleOutbox, tell, record } = tools

  async function find(item: StatusItem): Promise<IndexedMessage | undefined> {
    const known = await index.find(item.phoneNumberId, item.wamid)
    if (known) return known
    const named = item.messageId === null ? undefined : parseOutboxEntryKey(item.messageId)
    if (!named) return undefined
    // Until the answer to the send arrives, this is the source of its wamid.
    await index.put(item.phoneNumberId, item.wamid, named)
    return named
  }

  async function apply(target: IndexedMessage, item: StatusItem): Promise<Applied> {
    const { ownerId, messageId, attempt } = target
    const news = { isNews: false, isFirstSent: false }
    const changed = await copies.change(ownerId, messageId, (stored) => {
      if (stored.attempt !== attempt || stored.senderId !== ownerId) return null
      const next = advance(stored, item)
      news.isNews = next !== null && next.status !== stored.status
      // The answer to the send said so already; WhatsApp says it once more by a webhook.
      news.isFirstSent = item.status === 'sent' && next !== null && !hasStatus(stored, item)
      return next
    })
    if (!changed) return { outcome: 'ignored' }
    await settleOutbox(outboxEntryKey(target))
    if (news.isNews || news.isFirstSent) {
      record({ phoneNumberId: item.phoneNumberId, kind: 'status', status: item.status })
    }
    const touched = { messageId, ownerId }
    if (!news.isNews) return { ...touched, outcome: changed.isChanged ? 'stale' : 'duplicate' }
    tell.status(ownerId, changed.message)
    return { ...touched, outcome: 'applied' }
  }

  return {
    async applyStatus(item: StatusItem): Promise<Applied> {
      const target = await find(item)
      if (target) return await apply(target, item)
      await index.park(item)
      // The send may have been answered meanwhile, and have found nothing parked.
      const late = await index.find(item.phoneNumberId, item.wamid)
      if (!late) return { outcome: 'parked' }
      await applyParked(item.phoneNumberId, item.wamid)
      return { outcome: 'applied', messageId: late.messageId, ownerId: late.ownerId }
    },

    applyParked,
  }

  /** Statuses that arrived before their message's wamid was known. */
  async function applyParked(phoneNumberId: string, wamid: string): Promise<void> {
    const target = await index.find(phoneNumberId, wamid)
    if (!target) return
    await index.takeParked(phoneNumberId, wamid, async (item) => {
      await apply(target, item)
    })
  }
}

/** The message as the status changes it; null without news. */
function advance(stored: MessageDocument, item: StatusItem): MessageDocument | null {
  const { status: word, at: timestamp, wamid, error } = item
  const { status, effect } = nextStatus(stored.status, word)
  const isKnown = hasStatus(stored, item)
  const isNamed = stored.whatsapp_message_id !== undefined
  const isFilled = effect === 'keeps error' && stored.error === undefined && error !== null
  if (isKnown && effect === 'stale' && isNamed) return null
  if (isKnown && effect === 'keeps error' && !isFilled) return null
  const history = isKnown
    ? stored.statusHistory
    : [...stored.statusHistory, { status: word, timestamp }]
  const next: MessageDocument = {
    ...stored,
    status,
    statusHistory: history.slice(-1_000),
    whatsapp_message_id: wamid,
    waState: word === 'failed' ? 'refused' : 'accepted',
    ...(word === 'sent' && { whatsapp_timestamp: new Date(timestamp).toISOString() }),
  }
  if (effect === 'heals') return withoutError(next)
  if (effect !== 'fails' && !isFilled) {
    return {
      ...next,
      waState: effect === 'stale' && stored.status === 'failed' ? 'refused' : 'accepted',
    }
  }
  const { code, words } = describeProviderFailure(error?.code ?? null)
  return { ...next, error: words, errorCode: code }
}

function hasStatus({ statusHistory }: MessageDocument, { status, at }: StatusItem): boolean {
  return statusHistory.some((one) => one.status === status && one.timestamp === at)
}

function withoutError({ error, errorCode, ...message }: MessageDocument): MessageDocument {
  return message
}
