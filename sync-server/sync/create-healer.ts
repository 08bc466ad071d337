import type { Relations } from '../access/create-relations.ts'
import type { Storage } from '../storage/create-storage.ts'
import type { Seq } from '../storage/documents.ts'
import { healMessages } from './heal-messages.ts'
import { type OrderEntry, parseOrderEntry } from './order-entry.ts'

const entriesAtOnce = 500
const sweepAfterEntries = 500
/** A message may still be under way for so long, on another server. */
const underWayMs = 60_000
const checkpointId = 'healed'

/**
 * Completes what a crash left undone between the copies of a message (P3), for authors who never come back to retry.
 * The `orders` database is the journal: an entry is made before the first copy. A checkpoint there says up to where all
 * is known to be complete. What is still being written is left alone: its author would be told that it was there before.
 * @param isShared other servers write the same databases
 * @param onError told of a sweep in the background that failed, where the next one begins where it began; and of people
 *   whose messages could not be read
 */
export function createHealer(options: {
  storage: Storage
  relations: Pick<Relations, 'canReach'>
  isShared: boolean
  now: () => number
  onError: (error: unknown) => void
}) {
  const { storage, relations, isShared, now, onError } = options
  const orders = storage.database<OrderEntry>('orders')
  /** Entries above the checkpoint that this process has completed itself. */
  const finished = new Set<string>()
  /** Messages that this process is writing. */
  const underWay = new Set<string>()
  const startedAt = now()
  const state = { finishedSince: 0, sweep: undefined as Promise<number> | undefined }

  function healCopies(): Promise<number> {
    state.sweep ??= sweep().finally(() => {
      state.sweep = undefined
    })
    return state.sweep
  }

  async function sweep(): Promise<number> {
    state.finishedSince = 0
    const checkpoint = await orders.readLocal(checkpointId)
    const before = (checkpoint?.seq ?? 0) as Seq
    let since = before
    let complete = before
    let isOpen = false
    let healed = 0
    for (;;) {
      const page = await orders.changes({ since, limit: entriesAtOnce, includeDocs: true })
      if (page.results.length === 0) break
      since = page.last_seq
      const entries = page.results.flatMap(({ doc }) =>
        doc && !finished.has(doc._id) ? [doc] : [],
      )
      const unwritten = new Set(entries.filter(isBeingWritten).map(({ _id }) => _id))
      const outcome = await healEntries(entries.filter(({ _id }) => !unwritten.has(_id)))
      healed += outcome.healed
      for (const { id, seq } of page.results) {
        isOpen ||= unwritten.has(id) || outcome.open.has(id)
        if (isOpen) break
        finished.delete(id)
        complete = seq
      }
    }
    if (complete !== before) await orders.writeLocal(checkpointId, { ...checkpoint, seq: complete })
    return healed
  }

  function isBeingWritten(entry: OrderEntry): boolean {
    if (underWay.has(nameWrite(entry.senderId, entry.messageId))) return true
    const orderedAt = parseOrderEntry(entry)?.orderedAt ?? 0
    return isShared && orderedAt >= startedAt && now() - orderedAt < underWayMs
  }

  /** @returns how many messages were completed, and the entries of which nothing can be said yet */
  async function healEntries(entries: readonly OrderEntry[]) {
    const open = new Set<string>()
    let healed = 0
    for (const { authorId, readerId, ofPair } of groupByPair(entries)) {
      if (!(await areBothHere(authorId, readerId))) continue
      const at = now()
      const pair = { storage, authorId, readerId, entries: ofPair, now: at }
      const outcome = await healMessages(pair).catch(leaveOut)
      healed += outcome.healed
      for (const entry of outcome.without) {
        const age = at - (parseOrderEntry(entry)?.orderedAt ?? 0)
        if (age < underWayMs) open.add(entry._id)
      }
    }
    return { healed, open }
  }

  /** People whose databases cannot be read hold up nobody else's healing; for them there is the author's retry. */
  function leaveOut(error: unknown) {
    onError(error)
    return { healed: 0, without: [] }
  }

  /** The databases of somebody who left must not come to be again. */
  async function areBothHere(oneId: string, otherId: string): Promise<boolean> {
    const reaches = await Promise.all([
      relations.canReach(oneId, otherId),
      relations.canReach(otherId, oneId),
    ])
    return !reaches.includes('unknown_person')
  }

  return {
    /** Looks through everything above the checkpoint. @returns how many own copies were made good */
    healCopies,
    /** Takes note of messages that are about to be written. @returns to be called when they are not any more */
    noteStarted(authorId: string, messageIds: readonly string[]) {
      const writes = messageIds.map((id) => nameWrite(authorId, id))
      for (const write of writes) underWay.add(write)
      return () => {
        for (const write of writes) underWay.delete(write)
      }
    },
    /** Takes note that the messages of these entries are complete, and moves the checkpoint from time to time. */
    noteFinished(entries: readonly OrderEntry[]) {
      for (const { _id } of entries) finished.add(_id)
      state.finishedSince += entries.length
      if (state.finishedSince >= sweepAfterEntries) healCopies().catch(onError)
    },
    /** Ends with the checkpoint as far as it goes, so that the next start has little to look at. */
    async close() {
      await state.sweep?.catch(() => undefined)
      await healCopies()
    },
  }
}

function nameWrite(authorId: string, messageId: string): string {
  return `${authorId} ${messageId}`
}

function groupByPair(entries: readonly OrderEntry[]) {
  const pairs = new Map<string, { authorId: string; readerId: string; ofPair: OrderEntry[] }>()
  for (const entry of entries) {
    const place = parseOrderEntry(entry)
    if (!place) continue
    const authorId = entry.senderId
    const readerId = place.recipientId
    const key = `${authorId} ${readerId}`
    const pair = pairs.get(key) ?? { authorId, readerId, ofPair: [] }
    pair.ofPair.push(entry)
    pairs.set(key, pair)
  }
  return pairs.values()
}
