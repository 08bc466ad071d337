import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import { must } from '../../../schema/helpers/assertions.ts'
import { createKeyedBatcher } from '../../lib/keyed-batcher.ts'
import type { Seq } from '../../storage/documents/documents.ts'
import type { StoredDatabase } from '../../storage/stored-database.ts'
import type { LatestEvent, WebhookDocument, WebhookEvent } from './webhook-event.ts'

export type WebhookEvents = ReturnType<typeof createWebhookEvents>

interface Kept {
  event: WebhookEvent
  isNew: boolean
}

const pageLength = 200
/** A local document of the events' database: the place up to which everything is processed. */
const doneUpTo = 'done-up-to'
const latestKey = (ownerId: string, messageId: string) => `message:${ownerId}:${messageId}` as const
const mark = z.looseObject({ _rev: z.optional(z.string()), seq: z.union([z.number(), z.string()]) })

/**
 * Webhooks on disk: stored before they are answered, so that a crash loses none. Writes concurrent
 * ones together.
 * @param isShared other servers store webhooks in the same database
 * @param now epoch ms
 */
export function createWebhookEvents(options: {
  database: StoredDatabase<WebhookDocument>
  isShared?: boolean
  now?: () => number
}) {
  const { database, isShared = false, now = Date.now } = options

  const keeper = createKeyedBatcher<WebhookEvent, Kept>(async (_key, events) => {
    const byId = new Map(events.map((event) => [event._id, event]))
    const { result: known } = await database.update([...byId.keys()], (stored) => ({
      put: [...byId.values()].filter(({ _id }) => !stored.has(_id)),
      result: new Map(stored),
    }))
    return events.map((event) => ({
      isNew: !known.has(event._id) && byId.get(event._id) === event,
      event: readEvent(known.get(event._id)) ?? event,
    }))
  })

  const changer = createKeyedBatcher<{ id: string; change: Partial<WebhookEvent> }, null>(
    async (_key, changes) => {
      const ids = new Set(changes.flatMap(({ id, change }) => [id, ...listTouched(change)]))
      await database.update([...ids], (stored) => {
        const next = new Map<string, WebhookDocument>(stored)
        for (const { id, change } of changes) {
          const event = readEvent(next.get(id))
          if (!event) continue
          next.set(id, { ...event, ...change })
          for (const _id of listTouched(change)) {
            const before = readLatest(next.get(_id))
            if (before && before.receivedAt > event.receivedAt) continue
            next.set(_id, { ...before, _id, eventId: id, receivedAt: event.receivedAt })
          }
        }
        return { put: [...next.values()], result: null }
      })
      return changes.map(() => null)
    },
  )

  async function read(id: string): Promise<WebhookEvent | undefined> {
    return readEvent((await database.read([id])).get(id))
  }

  async function* walkPages() {
    const local = mark.safeParse(await database.readLocal(doneUpTo))
    const place = { since: local.data?.seq ?? 0 }
    for (;;) {
      const page = await database.changes({
        since: place.since,
        limit: pageLength,
        includeDocs: true,
      })
      place.since = page.last_seq
      const events = page.results.flatMap(({ doc }) => readEvent(doc) ?? [])
      yield { events, upTo: page.last_seq }
      if (page.results.length < pageLength) return
    }
  }

  async function* walk(): AsyncGenerator<WebhookEvent> {
    for await (const { events } of walkPages()) yield* events
  }

  /**
   * The place up to which all servers' webhooks are done; undefined if no further than recorded.
   */
  async function findDone(isDone: (event: WebhookEvent) => boolean): Promise<Seq | undefined> {
    const found: { upTo?: Seq } = {}
    for await (const { events, upTo } of walkPages()) {
      if (!events.every(isDone)) break
      found.upTo = upTo
    }
    return found.upTo
  }

  return {
    /**
     * Stores a webhook; resolves when it is safe. Stores the same bytes once: returns an existing
     * one.
     */
    async keep(rawBody: Uint8Array): Promise<Kept> {
      const id = `whe_${createHash('sha256').update(rawBody).digest('hex')}`
      const raw = new TextDecoder().decode(rawBody)
      const event: WebhookEvent = {
        _id: id,
        receivedAt: now(),
        raw,
        status: 'received',
        attempts: 0,
        processedAt: null,
        items: [],
        error: null,
      }
      const [kept] = await keeper.add('all', [event])
      return must(kept, 'what was kept')
    },

    read,

    /** The latest processed webhook that changed a person's message. */
    async findLatest(ownerId: string, messageId: string): Promise<WebhookEvent | undefined> {
      const key = latestKey(ownerId, messageId)
      const latest = readLatest((await database.read([key])).get(key))
      return latest && (await read(latest.eventId))
    },

    /** Changes an event; does not recreate a deleted one. */
    async change(id: string, change: Partial<WebhookEvent>) {
      await changer.add('all', [{ id, change }])
    },

    /**
     * Every event that a crash may have left unfinished, oldest change first, among finished ones.
     */
    walk,

    /**
     * Records that all events so far are done, so that the next start has less to read.
     * @param isDone is nothing left to do with an event? Other servers may be processing their own
     * @param isStillDone has nothing arrived since the call?
     */
    async recordDone(
      isDone: (event: WebhookEvent) => boolean,
      isStillDone: () => boolean,
    ): Promise<void> {
      const seq = isShared ? await findDone(isDone) : await database.updateSeq()
      const local = mark.safeParse(await database.readLocal(doneUpTo))
      if (seq === undefined || !isStillDone()) return
      const _rev = local.data?._rev
      await database.writeLocal(doneUpTo, { seq, ...(_rev !== undefined && { _rev }) })
    },

    /** Removes people's words from older webhooks. @returns from how many */
    async expire(before: number): Promise<number> {
      const place = { startkey: 'whe_' }
      let count = 0
      for (;;) {
        const page = await database.range({ ...place, endkey: 'whe_\uffff', limit: pageLength })
        const old = page.filter((one) => {
          const event = readEvent(one)
          return event && event.raw !== null && event.receivedAt < before
        })
        for (const { _id } of old) await changer.add('all', [{ id: _id, change: { raw: null } }])
        count += old.length
        const last = page.at(-1)
        if (!last || page.length < pageLength) return count
        place.startkey = `${last._id}\u0000`
      }
    },

    /** Resolves when no write is running. */
    async settle() {
      await keeper.settle()
      await changer.settle()
    },
  }
}

function readEvent(document: WebhookDocument | undefined): WebhookEvent | undefined {
  return document && 'attempts' in document ? document : undefined
}

function readLatest(document: WebhookDocument | undefined): LatestEvent | undefined {
  return document && 'eventId' in document ? document : undefined
}

function listTouched({ items = [] }: Partial<WebhookEvent>): LatestEvent['_id'][] {
  const touched = items.flatMap(({ ownerId, messageId }) =>
    ownerId === null || messageId === null ? [] : [latestKey(ownerId, messageId)],
  )
  return [...new Set(touched)]
}
