import { blankDeleted } from '../../schema/blank-deleted.ts'
import { groupBy } from '../../schema/helpers/lists.ts'
import { areMessagesEqual, mergeMessages, mergeRegisters } from '../../schema/merge-messages.ts'
import { isAccepted, type MessageDocument } from '../../schema/message.ts'
import { jointRegisters } from '../../schema/message-registers.ts'
import { pickShared } from '../../schema/peer-copy.ts'
import type { Relations } from '../access/relations.ts'
import { nameMessagesDatabase } from '../storage/documents/database-names.ts'
import type { Seq } from '../storage/documents/documents.ts'
import type { Storage } from '../storage/storage.ts'
import { beginConversations } from './copies/begin-conversations.ts'
import type { Hint, Hints, MessageHint } from './copies/hints.ts'
import type { MessageFiles } from './copies/message-files.ts'
import { type OrderEntry, parseOrderEntry } from './copies/order-entry.ts'
import { ordersDatabase } from './copies/order-journal.ts'
import { completeOwnCopy } from './copies/peer-copies.ts'
import { tellHintedReceipts, tellStandingReceipts } from './copies/tell-marks.ts'
import { weighDocument } from './copies/weigh-document.ts'
import { toDeletionDigest, toStarDigest } from './digests/digest-documents.ts'
import { recordDigests } from './digests/digests.ts'
import type { MessagePrivacy } from './proposals/proposal.ts'

const hintsAtOnce = 500

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

interface Surroundings {
  storage: Storage
  files: MessageFiles
  relations: Pick<Relations, 'canReach'>
  privacy: Pick<MessagePrivacy, 'hidesReading'>
  now: () => number
  onError: (error: unknown) => void
}

/**
 * Does the work left for databases that were unavailable. Leaves repeated failures for later,
 * blocking nothing else.
 * @param isBeingWritten messages to skip: their hints may still change
 * @returns how many own copies it repaired, and how many hints remain
 */
async function replayHints(
  options: Surroundings & { hints: Hints; isBeingWritten: (hint: MessageHint) => boolean },
): Promise<{ healed: number; left: number }> {
  const { hints, isBeingWritten, onError } = options
  const sum = { healed: 0, left: 0 }
  for (let after: string | undefined; ; ) {
    const page = await hints.list({ after, limit: hintsAtOnce })
    const pairs = groupBy(page, ({ authorId, readerId }) => `${authorId} ${readerId}`)
    for (const group of pairs.values()) {
      const due = group.filter((hint) => hint.kind === 'receipts' || !isBeingWritten(hint))
      sum.left += group.length - due.length
      try {
        sum.healed += await replayPair(options, due)
        await hints.remove(due)
      } catch (error) {
        onError(error)
        sum.left += due.length
      }
    }
    const last = page.at(-1)
    if (!last || page.length < hintsAtOnce) return sum
    after = last._id
  }
}

/** Replays hints of one author and one reader. Must not recreate a departed person's databases. */
async function replayPair(surroundings: Surroundings, due: readonly Hint[]): Promise<number> {
  const { storage, files, relations, privacy, now } = surroundings
  const [first] = due
  if (!first) return 0
  const pair = { authorId: first.authorId, readerId: first.readerId }
  const [toReader, toAuthor] = await Promise.all([
    relations.canReach(pair.authorId, pair.readerId),
    relations.canReach(pair.readerId, pair.authorId),
  ])
  if (toReader === 'unknown_person') return 0
  const messages = due.flatMap((hint) => (hint.kind === 'message' ? [hint] : []))
  const deletions = new Map(
    messages.flatMap(({ messageId, deletedAt }) =>
      deletedAt === undefined ? [] : [[messageId, deletedAt] as const],
    ),
  )
  await takeBackWords({ storage, files, ...pair, deletions })
  if (toAuthor === 'unknown_person') return 0
  const unhealed = messages.map((message) => ({ ...message, isAmended: true }))
  const { healed } =
    messages.length > 0
      ? await healMessages({ storage, files, ...pair, messages: unhealed })
      : { healed: 0 }
  for (const hint of due) {
    if (hint.kind === 'receipts')
      await tellHintedReceipts({ storage, relations, privacy, marks: hint, now })
  }
  if (messages.length > 0) await tellStandingReceipts({ storage, relations, privacy, ...pair, now })
  return healed
}

/**
 * A message that may be incomplete. `orderedAt`: the place its copies must agree on; absent, the
 * author's copy decides. `isHeld`: no reader's copy exists. `isAmended`: its text may differ
 * between copies.
 */
interface Unhealed {
  messageId: string
  orderedAt?: number | undefined
  isHeld?: boolean | undefined
  isAmended?: boolean | undefined
}

/**
 * Completes an author's messages to one reader: rebuilds a missing or failed own copy from the
 * reader's, puts the later of two texts into both, applies the author's deletions to the reader,
 * begins both conversations. Leaves complete ones unchanged.
 * @returns how many own copies it repaired, and the ids of messages without any copy (yet)
 */
export async function healMessages(options: {
  storage: Storage
  files: MessageFiles
  authorId: string
  readerId: string
  messages: readonly Unhealed[]
}): Promise<{ healed: number; without: Set<string> }> {
  const { storage, files, authorId, readerId, messages } = options
  const ids = messages.map(({ messageId }) => messageId)
  const readers = storage.database<MessageDocument>(nameMessagesDatabase(readerId))
  const readersCopies = await readers.read(
    messages.flatMap(({ messageId, isHeld }) => (isHeld ? [] : [messageId])),
  )
  const arrived = [...readersCopies.values()].filter((copy) => copy.senderId === authorId)
  const isAmended = new Set(messages.flatMap((one) => (one.isAmended ? [one.messageId] : [])))
  const own = storage.database<MessageDocument>(nameMessagesDatabase(authorId))
  await recordDigests(storage, await listDigests())
  const { result } = await own.update(ids, (stored) => {
    const put = arrived.flatMap((copy) => {
      const before = stored.get(copy._id)
      if (!before || !isAccepted(before)) return [completeOwnCopy(before, copy)]
      const shared = isAmended.has(copy._id) ? mergeShared(before, copy) : mergeJoint(before, copy)
      return areMessagesEqual(before, shared) ? [] : [shared]
    })
    const current = new Map([...stored, ...put.map((message) => [message._id, message] as const)])
    const growth = put.map((copy) => weighDocument(copy) - weighDocument(stored.get(copy._id)))
    const tally = growth.reduce((sum, bytes) => sum + bytes, 0)
    return { put, tally, result: { healed: put.length, current, stored } }
  })
  await amendReaders(isAmended, result.current)
  await takeBackWords({
    storage,
    files,
    authorId,
    readerId,
    deletions: findDeletions(arrived, result.current, authorId),
  })
  await beginWithAny()
  const overtaken = await findOvertaken()
  if (overtaken.length > 0) await healMessages({ ...options, messages: overtaken })
  const without = ids.filter((id) => !readersCopies.has(id) && !result.current.has(id))
  return { healed: result.healed, without: new Set(without) }

  /**
   * Any repaired message may have a star by then. What is deleted existed before in one of the
   * copies.
   */
  async function listDigests() {
    const stored = await own.read(arrived.map(({ _id }) => _id))
    return arrived.flatMap((copy) => {
      const before = stored.get(copy._id)
      const isDue = !before || !isAccepted(before)
      const isDeleted = copy.deletedAt !== undefined || before?.deletedAt !== undefined
      const { orderedAt } = copy
      return [
        ...(isDue ? [toStarDigest(authorId, { ...copy, peerId: readerId })] : []),
        ...(isDeleted ? [toDeletionDigest({ ...(before ?? copy), orderedAt })] : []),
      ]
    })
  }

  /** Their reader found no author's copy to change, and changed the reader's alone. */
  async function findOvertaken(): Promise<Unhealed[]> {
    const rebuilt = arrived.filter(({ _id }) => !result.stored.has(_id))
    if (rebuilt.length === 0) return []
    const found = await readers.read(rebuilt.map(({ _id }) => _id))
    return rebuilt.flatMap(({ _id: messageId, _rev }) => {
      const isSame = found.get(messageId)?._rev === _rev
      return isSame ? [] : [{ messageId, isAmended: true }]
    })
  }

  async function amendReaders(
    amended: ReadonlySet<string>,
    current: ReadonlyMap<string, MessageDocument>,
  ) {
    const behind = arrived.filter(({ _id }) => amended.has(_id))
    if (behind.length === 0) return
    await readers.update(
      behind.map(({ _id }) => _id),
      (stored) => {
        const put = [...stored.values()].flatMap((copy) => {
          const accepted = current.get(copy._id)
          // Their author may have written both copies since: the later text wins here too.
          const shared = accepted ? mergeShared(copy, accepted) : copy
          return areMessagesEqual(copy, shared) ? [] : [shared]
        })
        return { put, result: undefined }
      },
    )
  }

  async function beginWithAny() {
    for (const { messageId, orderedAt, isHeld } of messages) {
      const message = result.current.get(messageId)
      const isInPlace = orderedAt === undefined || message?.orderedAt === orderedAt
      if (!message || !isInPlace || !isAccepted(message)) continue
      const isHere = isHeld ?? !readersCopies.has(messageId)
      await beginConversations({ storage, authorId, readerId, message, isHeld: isHere })
      return
    }
  }
}

/** One person's copy with the later of two texts, what both people changed, and either deletion. */
function mergeShared(copy: MessageDocument, other: MessageDocument): MessageDocument {
  return mergeMessages(copy, { ...copy, ...pickShared(other) })
}

/** The author's copy with what its reader changed while the author's was missing. */
function mergeJoint(own: MessageDocument, copy: MessageDocument): MessageDocument {
  return blankDeleted({ ...own, ...mergeRegisters(jointRegisters, own, copy) })
}

function findDeletions(
  arrived: readonly MessageDocument[],
  current: ReadonlyMap<string, MessageDocument>,
  authorId: string,
): Map<string, number> {
  const kept = arrived.filter(({ deletedAt }) => deletedAt === undefined)
  return new Map(
    kept.flatMap(({ _id }) => {
      const message = current.get(_id)
      if (message?.senderId !== authorId || message.deletedAt === undefined) return []
      return [[_id, message.deletedAt] as const]
    }),
  )
}

/**
 * Blanks a reader's copies of messages that their author deleted, and revokes both people's access
 * to their files.
 * @param deletions when each was deleted, epoch ms, by message id; skips those without a reader's
 * copy
 * @returns the reader's resulting copies
 */
async function takeBackWords(options: {
  storage: Storage
  files: MessageFiles
  authorId: string
  readerId: string
  deletions: ReadonlyMap<string, number>
}): Promise<Map<string, MessageDocument>> {
  const { storage, files, authorId, readerId, deletions } = options
  const isTheirs = ({ senderId, recipientId }: MessageDocument) =>
    senderId === authorId && recipientId === readerId
  const copies = storage.database<MessageDocument>(nameMessagesDatabase(readerId))
  const found = [...(await copies.read([...deletions.keys()])).values()].filter(isTheirs)
  if (found.length === 0) return new Map()
  for (const { _id: messageId, mediaUrl } of found) {
    const userIds = [authorId, readerId]
    if (mediaUrl !== undefined) await files.releaseMedia({ mediaUrl, messageId, userIds })
  }
  await recordDigests(storage, found.map(toDeletionDigest))
  const ids = found.map(({ _id }) => _id)
  const { result } = await copies.update(ids, (stored) => {
    const put = [...stored.values()].filter(isTheirs).map((copy) => {
      const deletedAt = copy.deletedAt ?? deletions.get(copy._id)
      return deletedAt === undefined ? copy : blankDeleted({ ...copy, deletedAt })
    })
    return { put, result: put }
  })
  return new Map(result.map((copy) => [copy._id, copy]))
}
