import { groupBy } from '../../../schema/helpers/group-by.ts'
import type { Relations } from '../../access/relations.ts'
import type { Seq } from '../../storage/documents/documents.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Hints, MessageHint } from '../copies/hints.ts'
import type { MessageFiles } from '../copies/message-files.ts'
import { type OrderEntry, parseOrderEntry } from '../order/order-entry.ts'
import { ordersDatabase } from '../order/order-journal.ts'
import type { MessagePrivacy } from '../privacy/message-privacy.ts'
import { tellStandingReceipts } from '../receipts/tell-standing-receipts.ts'
import { healMessages } from './heal-messages.ts'
import { replayHints } from './replay-hints.ts'

const entriesAtOnce = 500
const sweepAfterEntries = 500
/** Another server may still be writing a message this young. */
const underWayMs = 60_000
const lookAgainAfterMs = 30_000
const checkpointId = 'healed'

/**
 * Completes crashed message writes (P3) for authors who never retry, from the journal `orders`: all
 * entries up to its checkpoint are complete or hinted. Skips running writes, whose authors would
 * get a duplicate. Atomic storage needs one sweep, for earlier versions' data.
 * @param isShared other servers write the same databases
 * @param lookAgainMs the wait before retrying an incomplete sweep
 * @param onError called with a failed background sweep, which the next one repeats; and with people
 * whose messages could not be read
 */
export function createHealer(options: {
  storage: Storage
  files: MessageFiles
  hints: Hints
  relations: Pick<Relations, 'canReach'>
  privacy: Pick<MessagePrivacy, 'hidesReading'>
  isShared: boolean
  lookAgainMs?: number | undefined
  now: () => number
  onError: (error: unknown) => void
}) {
  const { storage, files, hints, relations, privacy, isShared, now, onError } = options
  const { lookAgainMs = lookAgainAfterMs } = options
  const orders = storage.database<OrderEntry>(ordersDatabase)
  /** Entries above the checkpoint that this process completed itself. */
  const finished = new Set<string>()
  /** Messages that this process is writing. */
  const underWay = new Set<string>()
  const startedAt = now()
  const state = {
    finishedSince: 0,
    sweep: undefined as Promise<number> | undefined,
    nextLook: undefined as NodeJS.Timeout | undefined,
    isClosed: false,
  }

  function healCopies(): Promise<number> {
    state.sweep ??= sweep().finally(() => {
      state.sweep = undefined
    })
    return state.sweep
  }

  function drop() {
    state.isClosed = true
    clearTimeout(state.nextLook)
  }

  function lookAgain() {
    if (state.isClosed) return
    state.nextLook ??= setTimeout(() => {
      state.nextLook = undefined
      // A running sweep may have passed what this call is for.
      if (state.sweep !== undefined) return lookAgain()
      healCopies().catch(onError)
    }, lookAgainMs).unref()
  }

  async function sweep(): Promise<number> {
    state.finishedSince = 0
    try {
      const checkpoint = await orders.readLocal(checkpointId)
      if (storage.isAtomic && checkpoint?.isAtomic === true) return 0
      const swept = await sweepJournal((checkpoint?.seq ?? 0) as Seq)
      const base = { storage, files, relations, privacy, now, onError }
      const replayed = await replayHints({ ...base, hints, isBeingWritten: isHintBeingWritten })
      if (replayed.left > 0) lookAgain()
      const isDone = storage.isAtomic && !swept.isOpen && replayed.left === 0
      const reached = { seq: swept.complete, ...(isDone && { isAtomic: true }) }
      if (isDone || swept.complete !== (checkpoint?.seq ?? 0)) {
        await orders.writeLocal(checkpointId, { ...checkpoint, ...reached })
      }
      return swept.healed + replayed.healed
    } catch (error) {
      lookAgain()
      throw error
    }
  }

  /** @returns the place up to which all is complete */
  async function sweepJournal(before: Seq) {
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
      // A reader's claim alone creates no message of somebody else.
      const trusted = entries.filter(({ _id, isClaimed }) => !isClaimed && !unwritten.has(_id))
      const outcome = await healEntries(trusted)
      healed += outcome.healed
      for (const { id, seq } of page.results) {
        isOpen ||= unwritten.has(id) || outcome.open.has(id)
        if (isOpen) break
        finished.delete(id)
        complete = seq
      }
    }
    return { complete, isOpen, healed }
  }

  /** A reader also writes both copies, and the hint of that is due after the second. */
  function isHintBeingWritten({ authorId, readerId, messageId }: MessageHint): boolean {
    return [authorId, readerId].some((actorId) => underWay.has(writeKey(actorId, messageId)))
  }

  function isBeingWritten(entry: OrderEntry): boolean {
    if (underWay.has(writeKey(entry.senderId, entry.messageId))) return true
    const orderedAt = parseOrderEntry(entry)?.orderedAt ?? 0
    return isShared && orderedAt >= startedAt && now() - orderedAt < underWayMs
  }

  /** @returns how many messages it completed, and the entries still undecided */
  async function healEntries(entries: readonly OrderEntry[]) {
    const open = new Set<string>()
    let healed = 0
    for (const { authorId, readerId, ofPair } of groupPairs(entries)) {
      if (!(await areBothHere(authorId, readerId))) continue
      const at = now()
      const messages = ofPair.map((entry) => ({
        messageId: entry.messageId,
        orderedAt: parseOrderEntry(entry)?.orderedAt,
        isHeld: entry.isHeld === true,
      }))
      try {
        const pair = { storage, files, authorId, readerId, messages }
        const outcome = await healMessages(pair)
        healed += outcome.healed
        await tellStandingReceipts({ storage, relations, privacy, authorId, readerId, now })
        for (const entry of ofPair) {
          const age = at - (parseOrderEntry(entry)?.orderedAt ?? 0)
          if (outcome.without.has(entry.messageId) && age < underWayMs) open.add(entry._id)
        }
      } catch (error) {
        // People whose databases are unavailable block nobody else's healing; the next sweep
        // retries theirs.
        onError(error)
        await hints.addMessages(
          messages.map(({ messageId }) => ({ authorId, readerId, messageId })),
        )
      }
    }
    return { healed, open }
  }

  /** Healing must not recreate a departed person's databases. */
  async function areBothHere(oneId: string, otherId: string): Promise<boolean> {
    const reaches = await Promise.all([
      relations.canReach(oneId, otherId),
      relations.canReach(otherId, oneId),
    ])
    // A channel contact has no copies: the channel itself redelivers what is missing.
    return !reaches.includes('unknown_person') && !reaches.includes('channel')
  }

  return {
    /**
     * Sweeps everything above the checkpoint, and all hints. @returns how many own copies it
     * repaired
     */
    healCopies,
    /** Schedules another sweep; does nothing if one is due. */
    lookAgain,
    /** Records messages about to be written. @returns a function to call after the write */
    recordStarted(actorId: string, messageIds: readonly string[]) {
      if (storage.isAtomic) return () => undefined
      const writes = messageIds.map((id) => writeKey(actorId, id))
      for (const write of writes) underWay.add(write)
      return () => {
        for (const write of writes) underWay.delete(write)
      }
    },
    /**
     * Records that the messages of these entries are complete; advances the checkpoint now and
     * then.
     */
    recordFinished(entries: readonly Pick<OrderEntry, '_id'>[]) {
      if (storage.isAtomic) return
      for (const { _id } of entries) finished.add(_id)
      state.finishedSince += entries.length
      if (state.finishedSince >= sweepAfterEntries) healCopies().catch(onError)
    },
    /** Stops at once, without waiting. */
    drop,
    /** Stores the checkpoint as far as it goes, so that the next start has little to sweep. */
    async close() {
      drop()
      await state.sweep?.catch(() => undefined)
      await healCopies().catch(onError)
    },
  }
}

function writeKey(actorId: string, messageId: string): string {
  return `${actorId} ${messageId}`
}

function groupPairs(entries: readonly OrderEntry[]) {
  const placed = entries.flatMap((entry) => {
    const place = parseOrderEntry(entry)
    return place ? [{ entry, authorId: entry.senderId, readerId: place.recipientId }] : []
  })
  const pairs = groupBy(placed, ({ authorId, readerId }) => `${authorId} ${readerId}`)
  return [...pairs.values()].flatMap((pair) => {
    const [first] = pair
    return first ? [{ ...first, ofPair: pair.map(({ entry }) => entry) }] : []
  })
}
