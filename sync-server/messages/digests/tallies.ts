import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import { isAccepted, type MessageDocument } from '../../../schema/message.ts'
import { atMost } from '../../lib/at-most.ts'
import { nameMessagesDatabase } from '../../storage/documents/database-names.ts'
import type { Storage } from '../../storage/storage.ts'
import { conversationKey, type OrderEntry, placeOf } from '../copies/order-entry.ts'
import type { OrderJournal } from '../copies/order-journal.ts'
import {
  type DeletionDigest,
  deletionKey,
  digestsDatabase,
  generationKey,
  type Seen,
  type Tally,
  type TallyDigest,
  type TallyGeneration,
  tallyKey,
} from './digest-documents.ts'

/**
 * Where several servers write the database, a place may still appear below others within this time.
 */
const settledMs = 60_000
const conversationsWatched = 20_000
/** After every possible place. */
export const endOfTime = 8.64e14 - 1

/** A conversation as one of its two people sees it. */
export interface View {
  ownerId: string
  peerId: string
}

/** With its tallies' generation: a count that spans a change is stored where nobody reads it. */
interface Counted extends View {
  generation: number
}

/**
 * Counts a conversation's messages up to a place without a full walk: stores a tally about `every`
 * places, and counts from the nearest. Recounts lost or missing ones.
 * @param every about how many places lie between two stored tallies
 * @param now epoch ms
 * @param onError called when a tally could not be stored in the background
 */
export function createTallies(options: {
  storage: Storage
  journal: Pick<OrderJournal, 'listBetween' | 'listBefore'>
  every?: number | undefined
  now: () => number
  onError: (error: unknown) => void
}) {
  const { storage, journal, every = 100, now, onError } = options
  const digests = storage.database<TallyDigest>(digestsDatabase)
  const generations = storage.database<TallyGeneration>(digestsDatabase)
  /** New messages since the last check whether a tally is due. */
  const added = new LRUCache<string, number>(atMost(conversationsWatched))
  /** Conversations whose tallies are due. */
  const due = new Set<string>()
  const background = pLimit(1)

  async function findGeneration({ ownerId, peerId }: View): Promise<Counted> {
    const id = generationKey(ownerId, peerId)
    const generation = (await generations.read([id])).get(id)?.generation ?? 0
    return { ownerId, peerId, generation }
  }

  /** The nearest stored tally at or before a place. */
  async function findStored(counted: Counted, upTo: number): Promise<TallyDigest> {
    const [found] = await digests.range({
      startkey: tallyKey(counted, upTo),
      endkey: tallyKey(counted, 0),
      descending: true,
      limit: 1,
    })
    return found ?? { ...nothing, _id: tallyKey(counted, 0), orderedAt: 0, open: [] }
  }

  const resolve = (view: View, entries: Parameters<typeof resolveEntries>[0]['entries']) =>
    resolveEntries({ storage, ...view, entries })

  async function store(counted: Counted, tally: Omit<TallyDigest, '_id'>) {
    await digests.insert({ ...tally, _id: tallyKey(counted, tally.orderedAt) })
  }

  const isSettled = (orderedAt: number) => storage.isAtomic || orderedAt < now() - settledMs

  /** Counts a conversation for its owner up to a place, storing tallies on the way. */
  async function countUpTo(view: View, place: number): Promise<Tally> {
    const { ownerId: oneId, peerId: otherId } = view
    const upTo = Math.min(place, endOfTime)
    const counted = await findGeneration(view)
    const { _id, open, ...stored } = await findStored(counted, upTo)
    let sum = addUp({ ...stored, open: [] }, await resolve(view, open))
    for (;;) {
      const range = { oneId, otherId, after: sum.orderedAt, upTo }
      const entries = await journal.listBetween({ ...range, limit: every })
      const last = entries.at(-1)
      if (!last) return sum
      sum = { ...addUp(sum, await resolve(view, entries)), orderedAt: placeOf(last) }
      if (entries.length < every) return sum
      if (isSettled(sum.orderedAt)) await store(counted, sum)
    }
  }

  /** The owner's newest message between two places: `after < orderedAt < before`. */
  async function findLast(view: View, after: number): Promise<Seen | undefined> {
    const { ownerId: oneId, peerId: otherId } = view
    let floor: TallyDigest | undefined
    for (let before = endOfTime + 1, limit = 1; ; limit = every) {
      const entries = await journal.listBefore({ oneId, otherId, before, limit })
      const lowest = Math.max(after, floor?.orderedAt ?? 0)
      const within = entries.filter((entry) => placeOf(entry) > lowest)
      const found = (await resolve(view, within.toReversed())).seen.at(-1)
      if (found) return found
      const oldest = within.at(-1)
      if (!oldest || within.length < limit) break
      before = placeOf(oldest)
      // A blocked person can put many places behind the newest message.
      floor ??= await findStored(await findGeneration(view), before)
    }
    if (!floor) return undefined
    const { seen } = await resolve(view, floor.open)
    const newest = [...seen, ...(floor.last ? [floor.last] : [])].sort(byPlace).at(-1)
    return newest && newest.orderedAt > after ? newest : undefined
  }

  /** The owner's oldest message behind a place. */
  async function findFirst(view: View, after: number): Promise<Seen | undefined> {
    const { ownerId: oneId, peerId: otherId } = view
    for (let from = after, limit = 1; ; limit = every) {
      const range = { oneId, otherId, after: from, upTo: endOfTime }
      const entries = await journal.listBetween({ ...range, limit })
      const [found] = (await resolve(view, entries)).seen
      const last = entries.at(-1)
      if (found || !last || entries.length < limit) return found
      from = placeOf(last)
    }
  }

  return {
    countUpTo,
    findLast,
    findFirst,

    /**
     * Records new messages: stores both people's tallies from time to time, so that counting stays
     * short.
     */
    recordAdded(oneId: string, otherId: string, count: number) {
      const conversation = conversationKey(oneId, otherId)
      const sum = (added.get(conversation) ?? 0) + count
      added.set(conversation, sum < every ? sum : 0)
      if (sum < every || due.has(conversation)) return
      due.add(conversation)
      background(async () => {
        due.delete(conversation)
        await countUpTo({ ownerId: oneId, peerId: otherId }, endOfTime)
        await countUpTo({ ownerId: otherId, peerId: oneId }, endOfTime)
      }).catch(onError)
    },

    /** Drops work that has not begun. */
    drop() {
      background.clearQueue()
      due.clear()
    },
    /** Waits for running work. */
    settle: () => background(async () => undefined),
  }
}

const nothing: Tally = { sent: 0, received: 0, files: 0 }

type Sum = Omit<TallyDigest, '_id'>

function addUp(sum: Sum, { sent, received, files, seen, open }: Resolved): Sum {
  const last = [...seen, ...(sum.last ? [sum.last] : [])].sort(byPlace).at(-1)
  return {
    sent: sum.sent + sent,
    received: sum.received + received,
    files: sum.files + files,
    orderedAt: sum.orderedAt,
    ...(last && { last }),
    open: [...sum.open, ...open],
  }
}

function byPlace(a: Seen, b: Seen): number {
  return a.orderedAt - b.orderedAt
}

/**
 * What places mean for one of the two people. `open`: it is not known yet whether a message exists.
 */
interface Resolved extends Tally {
  /** The existing messages, oldest first. */
  seen: Seen[]
  open: OrderEntry[]
}

/**
 * Resolves places of one conversation for one of its people: does a message exist, and which? Whole
 * entries tell it themselves; others need their copies.
 * @param entries oldest first
 */
async function resolveEntries(options: {
  storage: Storage
  ownerId: string
  peerId: string
  entries: readonly OrderEntry[]
}): Promise<Resolved> {
  const { storage, ownerId, peerId } = options
  const entries = options.entries.filter(({ isHeld, senderId }) => !isHeld || senderId === ownerId)
  const doubtful = entries.flatMap(({ isWhole, messageId }) => (isWhole ? [] : [messageId]))
  const own = storage.database<MessageDocument>(nameMessagesDatabase(ownerId))
  const copies = doubtful.length > 0 ? await own.read(doubtful) : new Map()
  const deletions = await readDeletions()
  const resolved: Resolved = { sent: 0, received: 0, files: 0, seen: [], open: [] }
  for (const entry of entries) {
    const { messageId, senderId, isWhole } = entry
    const orderedAt = placeOf(entry)
    const copy = copies.get(messageId)
    if (!isWhole && (!copy || !isAccepted(copy))) {
      resolved.open.push(entry)
      continue
    }
    // A crashed attempt can leave an entry behind: the message's own place decides.
    if (!isWhole && (copy?.peerId !== peerId || copy.orderedAt !== orderedAt)) continue
    const hasFile = isWhole ? entry.hasFile === true : hadFile(copy)
    resolved.seen.push({ messageId, orderedAt })
    resolved.sent += Number(senderId === ownerId)
    resolved.received += Number(senderId !== ownerId)
    resolved.files += Number(hasFile)
  }
  return resolved

  /** Read after the copies: a deletion reaches its digest before any copy. */
  async function readDeletions(): Promise<ReadonlyMap<string, DeletionDigest>> {
    const deleted = [...copies.values()].filter(isDeleted)
    if (deleted.length === 0) return new Map()
    const ids = deleted.map(({ _id }) => deletionKey(ownerId, peerId, _id))
    return await storage.database<DeletionDigest>(digestsDatabase).read(ids)
  }

  function hadFile(copy: MessageDocument | undefined): boolean {
    if (copy?.mediaUrl !== undefined) return true
    return copy ? (deletions.get(deletionKey(ownerId, peerId, copy._id))?.hasFile ?? false) : false
  }
}

function isDeleted(message: MessageDocument): boolean {
  return message.deletedAt !== undefined && isAccepted(message)
}
