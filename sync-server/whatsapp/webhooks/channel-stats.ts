import type { WebhookStats } from '../../../schema/api/webhook-answers.ts'
import { toIsoOrNull } from '../../lib/to-iso.ts'
import type { Happening } from './apply-tools.ts'
import type { ProcessedItem, WebhookEvent } from './webhook-event.ts'

type Counted = Omit<WebhookStats, 'phone_number_id' | 'invalidSignatures' | 'pending'>
type Held = Omit<Counted, 'lastReceivedAt' | 'lastProcessedAt' | 'avgProcessingMs'> & {
  lastReceivedAt: number
  lastProcessedAt: number
  totalMs: number
}

/** Counts each number's traffic since the start; operators see only their own number's. */
export function createChannelStats() {
  const byNumber = new Map<string, Held>()

  function of(phoneNumberId: string): Held {
    const held = byNumber.get(phoneNumberId) ?? begin()
    byNumber.set(phoneNumberId, held)
    return held
  }

  return {
    /** Counts a processed webhook for each number that it concerns. */
    recordEvent(event: WebhookEvent) {
      const numbers = new Set(event.items.flatMap(({ phoneNumberId }) => phoneNumberId ?? []))
      for (const number of numbers) {
        const held = of(number)
        const own = event.items.filter(({ phoneNumberId }) => phoneNumberId === number)
        const isFirst = event.attempts === 1
        held.received += Number(isFirst)
        held.duplicates += own.filter(isDuplicate).length
        if (event.status === 'failed') held.failed += Number(isFirst)
        else if (event.status === 'ignored') held.ignored += 1
        else held.processed += 1
        held.lastReceivedAt = Math.max(held.lastReceivedAt, event.receivedAt)
        held.lastProcessedAt = event.processedAt ?? held.lastProcessedAt
        held.totalMs += (event.processedAt ?? event.receivedAt) - event.receivedAt
      }
    },

    record(happening: Happening) {
      const held = of(happening.phoneNumberId)
      if (happening.kind === 'status') {
        held.statuses[happening.status] += 1
        return
      }
      held.messages[happening.kind] += 1
      const { byType } = held.messages
      byType[happening.type] = (byType[happening.type] ?? 0) + 1
    },

    read(phoneNumberId: string): Counted {
      const { totalMs, lastReceivedAt, lastProcessedAt, ...held } = of(phoneNumberId)
      return {
        ...held,
        lastReceivedAt: toIsoOrNull(lastReceivedAt),
        lastProcessedAt: toIsoOrNull(lastProcessedAt),
        avgProcessingMs: held.received === 0 ? 0 : Math.round(totalMs / held.received),
      }
    },
  }
}

function begin(): Held {
  return {
    received: 0,
    processed: 0,
    failed: 0,
    ignored: 0,
    duplicates: 0,
    messages: { inbound: 0, outbound: 0, byType: {} },
    statuses: { sent: 0, delivered: 0, read: 0, failed: 0 },
    lastReceivedAt: 0,
    lastProcessedAt: 0,
    totalMs: 0,
  }
}

const isDuplicate = ({ outcome }: ProcessedItem) => outcome === 'duplicate'
