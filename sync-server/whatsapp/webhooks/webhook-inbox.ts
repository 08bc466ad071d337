import pLimit from 'p-limit'
import { createFairQueue } from '../../budget/fair-queue.ts'
import type { Levels } from '../../metrics/read-levels.ts'
import { parseWebhook } from '../inbound/parse-webhook.ts'
import type { IgnoredItem, WebhookItem } from '../inbound/webhook-items.ts'
import {
  type ItemOutcome,
  type ProcessedItem,
  summariseItems,
  type WebhookEvent,
} from './webhook-event.ts'
import type { WebhookEvents } from './webhook-events.ts'

export type UsefulItem = Exclude<WebhookItem, IgnoredItem>

/**
 * Applies one update. May run several times for it, even after a crash midway: must be idempotent.
 */
export type ApplyItem = (
  item: UsefulItem,
  about: { eventId: string },
) => Promise<{
  outcome: Exclude<ItemOutcome, 'error'>
  messageId?: string | undefined
  ownerId?: string | undefined
}>

interface Waiting {
  id: string
  /** The stored event, while in memory. */
  event: WebhookEvent | null
}

export type WebhookInbox = ReturnType<typeof createWebhookInbox>

const eventsAtOnce = 64
/**
 * While this many wait to be stored, processing yields: Meta waits for answers, nobody for the
 * rest.
 */
const pressureFrom = 32
const eventsAtOnceUnderPressure = 4
/** A webhook carries one update or twenty thousand: each one's take turns with all others' (P12). */
const itemsAtOnce = 16
const itemsAtOncePerEvent = 4
/** Beyond this many waiting ones, the body is read from disk in its turn. */
const heldInMemoryMax = 1_000
/** Longer than all retries of a running server. */
const abandonedAfterMs = 10 * 60_000
const usualRetryWaitsMs = [1_000, 10_000, 60_000]

/**
 * Processes webhooks after they are stored and answered: serially for each contact, in parallel
 * across contacts; a failing one does not block the rest. Retries failures three times, and then on
 * request.
 * @param isAlone is nobody active but this owner of work? Otherwise a long webhook rests in between
 */
export function createWebhookInbox(options: {
  events: WebhookEvents
  apply: ApplyItem
  isAlone?: ((key: string) => boolean) | undefined
  retryWaitsMs?: readonly number[]
  now?: () => number
  onProcessed?: (event: WebhookEvent) => void
  onError: (error: unknown) => void
}) {
  const { events, apply, retryWaitsMs = usualRetryWaitsMs, now = Date.now, onError } = options
  const { onProcessed = () => undefined } = options
  const queue: Waiting[] = []
  /** Waiting, running or to be retried. */
  const open = new Set<string>()
  const running = new Map<string, Promise<void>>()
  const timers = new Set<NodeJS.Timeout>()
  /** The end of each contact's queue. */
  const lines = new Map<string, Promise<unknown>>()
  const turns = createFairQueue({
    atOnce: itemsAtOnce,
    atOncePerKey: itemsAtOncePerEvent,
    jobsMaxPerKey: itemsAtOncePerEvent,
    ...(options.isAlone && { isAlone: options.isAlone }),
  })
  const counted = { received: 0, duplicates: 0, processed: 0, failed: 0, lagMs: 0 }
  const state = { isClosed: false, taken: 0, taking: 0, noting: Promise.resolve() }
  /** The end of the line of webhooks that are being read. */
  const reading: { last: Promise<unknown> } = { last: Promise.resolve() }

  function enqueue(id: string, event: WebhookEvent | null) {
    open.add(id)
    queue.push({ id, event: queue.length < heldInMemoryMax ? event : null })
    startNext()
  }

  function startNext() {
    const atOnce = state.taking > pressureFrom ? eventsAtOnceUnderPressure : eventsAtOnce
    while (!state.isClosed && running.size < atOnce) {
      const next = queue.shift()
      if (!next) return
      const work = processSafely(next).finally(() => {
        running.delete(next.id)
        startNext()
        recordIdle()
      })
      running.set(next.id, work)
    }
  }

  async function processSafely(waiting: Waiting) {
    try {
      await processOne(waiting)
    } catch (error) {
      // It stays unchanged on disk: the next start finds it, or a retry.
      onError(error)
      tryLater(waiting.id, 1)
    }
  }

  async function processOne({ id, event: held }: Waiting) {
    const event = held ?? (await events.read(id))
    if (!event || event.raw === null) {
      open.delete(id)
      return
    }
    const attempts = event.attempts + 1
    const processed = await (await begin(event.raw, id)).results
    const status = processed ? summariseItems(processed, attempts) : 'failed'
    const error = describeFailure(processed)
    const change = { status, attempts, processedAt: now(), items: processed ?? [], error }
    await events.change(id, change)
    counted.lagMs = now() - event.receivedAt
    if (status === 'failed') counted.failed += 1
    else counted.processed += 1
    // An unreadable webhook does not improve with a retry.
    if (status === 'failed' && processed) tryLater(id, attempts)
    else open.delete(id)
    onProcessed({ ...event, ...change, raw: null })
  }

  function tryLater(id: string, attempts: number) {
    const wait = retryWaitsMs[attempts - 1]
    if (wait === undefined || state.isClosed) {
      open.delete(id)
      return
    }
    const timer = setTimeout(() => {
      timers.delete(timer)
      enqueue(id, null)
    }, wait)
    timers.add(timer)
  }

  /** Reads one after the other: a short webhook overtakes no long one that came before. */
  function begin(raw: string, eventId: string) {
    const begun = reading.last.then(async () => {
      const items = await readItems(raw)
      return { results: items && applyAll(items, eventId) }
    })
    reading.last = begun.catch(() => undefined)
    return begun
  }

  /** All enter their contacts' lines at once, so that no later webhook overtakes; few are applied. */
  function applyAll(items: readonly WebhookItem[], eventId: string): Promise<ProcessedItem[]> {
    const few = pLimit(itemsAtOncePerEvent)
    const apply = (item: WebhookItem) =>
      few(() => turns.once({ key: eventId }, () => applyOne(item, eventId)))
    return Promise.all(items.map((item) => applyInLine(item, apply)))
  }

  /** Serialises updates of one contact; within one webhook, messages come first. */
  function applyInLine(
    item: WebhookItem,
    apply: (item: WebhookItem) => Promise<ProcessedItem>,
  ): Promise<ProcessedItem> {
    const key = lineKey(item)
    const before = lines.get(key) ?? Promise.resolve()
    const own = before.then(() => apply(item))
    lines.set(key, own)
    return own.finally(() => {
      if (lines.get(key) === own) lines.delete(key)
    })
  }

  async function applyOne(item: WebhookItem, eventId: string): Promise<ProcessedItem> {
    const about = {
      kind: item.kind,
      wamid: 'wamid' in item ? item.wamid : null,
      messageId: null,
      ownerId: null,
      phoneNumberId: 'phoneNumberId' in item ? item.phoneNumberId : null,
    }
    if (item.kind === 'ignored') return { ...about, outcome: 'ignored' }
    try {
      const { outcome, messageId = null, ownerId = null } = await apply(item, { eventId })
      return { ...about, outcome, messageId, ownerId }
    } catch (error) {
      onError(error)
      return { ...about, outcome: 'error' }
    }
  }

  /** Once nothing is left, the next start can skip what is done. */
  function recordIdle() {
    if (open.size > 0 || state.taking > 0 || state.isClosed) return
    const { taken } = state
    const isStillIdle = () => state.taken === taken && open.size === 0
    state.noting = state.noting.then(async () => {
      if (isStillIdle()) await events.recordDone(isDone, isStillIdle).catch(onError)
    })
  }

  /** Is nothing left to do with it, unless somebody requests it? */
  function isDone({ status, attempts, raw }: WebhookEvent): boolean {
    if (raw === null) return true
    return status === 'failed' ? attempts > retryWaitsMs.length : status !== 'received'
  }

  return {
    /**
     * Stores a webhook with a valid signature, to process afterwards.
     * @throws storage errors: then Meta must resend
     */
    async take(rawBody: Uint8Array): Promise<{ id: string; isNew: boolean }> {
      state.taken += 1
      state.taking += 1
      try {
        const { event, isNew } = await events.keep(rawBody)
        counted.received += 1
        if (!isNew) counted.duplicates += 1
        // A failed write may have stored it all the same: it got an error answer, and nobody has
        // processed it.
        if (isNew || (event.status === 'received' && !open.has(event._id))) {
          enqueue(event._id, event)
        }
        return { id: event._id, isNew }
      } finally {
        state.taking -= 1
      }
    },

    /** Resumes an earlier run's stored, unfinished webhooks. */
    async resume() {
      for await (const event of events.walk()) {
        if (!isDone(event) && !open.has(event._id)) enqueue(event._id, null)
      }
    },

    /**
     * Takes over webhooks that another server left unfinished for too long: it may have ended
     * permanently.
     */
    async takeOver() {
      for await (const event of events.walk()) {
        const isAbandoned = event.receivedAt <= now() - abandonedAfterMs
        if (isAbandoned && !isDone(event) && !open.has(event._id)) enqueue(event._id, null)
      }
    },

    /** Processes an event once more. */
    async reprocess(id: string): Promise<'started' | 'unknown' | 'busy' | 'expired'> {
      const event = await events.read(id)
      if (!event) return 'unknown'
      if (open.has(id)) return 'busy'
      if (event.raw === null) return 'expired'
      enqueue(id, null)
      return 'started'
    },

    isBusy: (id: string) => open.has(id),

    /** For the metrics. */
    levels: (): Levels => ({
      gauges: {
        petrel_webhooks_pending: {
          help: 'Webhooks of WhatsApp that are kept and not processed yet.',
          read: () => open.size,
        },
        petrel_webhook_lag_seconds: {
          help: 'How long the last webhook took from its arrival to being processed.',
          read: () => counted.lagMs / 1_000,
        },
      },
      counters: {
        petrel_webhooks_received_total: {
          help: 'Webhooks of WhatsApp with a right signature.',
          read: () => counted.received,
        },
        petrel_webhooks_duplicate_total: {
          help: 'Webhooks of WhatsApp that came before, byte for byte.',
          read: () => counted.duplicates,
        },
        petrel_webhooks_processed_total: {
          help: 'Webhooks of WhatsApp that were processed.',
          read: () => counted.processed,
        },
        petrel_webhooks_failed_total: {
          help: 'Tries of processing a webhook of WhatsApp that failed.',
          read: () => counted.failed,
        },
      },
    }),

    /** Starts nothing new, and waits for nothing: for tests of crashes. */
    drop() {
      state.isClosed = true
      for (const timer of timers) clearTimeout(timer)
    },

    /**
     * Starts nothing new, and resolves when running work has ended; the next start resumes the
     * rest.
     */
    async close() {
      state.isClosed = true
      for (const timer of timers) clearTimeout(timer)
      await Promise.all(running.values())
      await state.noting
      await events.settle()
    },
  }
}

async function readItems(raw: string): Promise<WebhookItem[] | null> {
  try {
    return await parseWebhook(JSON.parse(raw))
  } catch {
    return null
  }
}

function describeFailure(processed: ProcessedItem[] | null): string | null {
  if (!processed) return 'The body is not a webhook that can be read.'
  const failed = processed.filter(({ outcome }) => outcome === 'error').length
  return failed === 0 ? null : `${failed} of ${processed.length} updates failed.`
}

function lineKey(item: WebhookItem): string {
  switch (item.kind) {
    case 'message':
      return `${item.phoneNumberId}|${item.sender.waId ?? item.sender.userId}`
    case 'status':
    case 'echo':
      return `${item.phoneNumberId}|${item.recipient.waId ?? item.recipient.userId}`
    default:
      return item.kind
  }
}
