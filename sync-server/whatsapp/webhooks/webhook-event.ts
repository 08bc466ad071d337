import type { WebhookItem } from '../inbound/webhook-items.ts'

/** What became of one update. */
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
  /** Our id of the message that it touched. */
  messageId: string | null
  /** Whose message that is, and over which number it came; neither is answered. */
  ownerId: string | null
  phoneNumberId: string | null
}

export type EventStatus = 'received' | 'processed' | 'failed' | 'ignored' | 'duplicate'

/** One webhook as it came. `raw` holds people's words: it goes after a while, and never leaves the server. Times are epoch ms. */
export interface WebhookEvent {
  /** `whe_` and the checksum of the body: the same bytes are the same event. */
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

/** The latest webhook that touched a message. */
export interface LatestEvent {
  _id: `message:${string}`
  eventId: string
  receivedAt: number
}

/** What lies in the database of webhooks. */
export type WebhookDocument = WebhookEvent | LatestEvent

/**
 * What stands for all of it: one update that failed makes the event failed.
 * @param attempts this one included: what an earlier one did is no duplicate of somebody else's
 */
export function summariseItems(items: readonly ProcessedItem[], attempts: number): EventStatus {
  if (items.some(({ outcome }) => outcome === 'error')) return 'failed'
  if (items.every(({ outcome }) => outcome === 'ignored')) return 'ignored'
  const isRepeated = ({ outcome }: ProcessedItem) => ['duplicate', 'ignored'].includes(outcome)
  return attempts === 1 && items.every(isRepeated) ? 'duplicate' : 'processed'
}
