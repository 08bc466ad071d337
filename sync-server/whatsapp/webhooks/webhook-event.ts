import type { WebhookItem } from '../inbound/webhook-items.ts'

/** One update's result. */
export type ItemOutcome =
  | 'created'
  | 'applied'
  | 'stale'
  | 'duplicate'
  | 'parked'
  | 'ignored'
  | 'unrouted'
  | 'error'

export interface ProcessedItem {
  kind: WebhookItem['kind']
  wamid: string | null
  outcome: ItemOutcome
  /** Our id of the message it changed. */
  messageId: string | null
  /** That message's owner, and the number it came over; neither is returned to callers. */
  ownerId: string | null
  phoneNumberId: string | null
}

export type EventStatus = 'received' | 'processed' | 'failed' | 'ignored' | 'duplicate'

/**
 * One webhook as received. `raw` contains people's words: deleted after a while, and never leaves
 * the server. Times are epoch ms.
 */
export interface WebhookEvent {
  /** `whe_` and the body's checksum: the same bytes are the same event. */
  _id: string
  receivedAt: number
  raw: string | null
  status: EventStatus
  /** How often it was processed. */
  attempts: number
  processedAt: number | null
  items: ProcessedItem[]
  error: string | null
}

/** The latest webhook that changed a message. */
export interface LatestEvent {
  _id: `message:${string}`
  eventId: string
  receivedAt: number
}

/** A document in the database of webhooks. */
export type WebhookDocument = WebhookEvent | LatestEvent

/**
 * The overall status: one failed update makes the event failed.
 * @param attempts including this one: an earlier attempt's work is no duplicate of somebody else's
 */
export function summariseItems(items: readonly ProcessedItem[], attempts: number): EventStatus {
  if (items.some(({ outcome }) => outcome === 'error')) return 'failed'
  if (items.every(({ outcome }) => outcome === 'ignored')) return 'ignored'
  const isRepeated = ({ outcome }: ProcessedItem) => ['duplicate', 'ignored'].includes(outcome)
  return attempts === 1 && items.every(isRepeated) ? 'duplicate' : 'processed'
}
