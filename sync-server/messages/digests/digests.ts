import { isAccepted, type MessageDocument } from '../../../schema/message.ts'
import { nameMessagesDatabase } from '../../storage/documents/database-names.ts'
import { type Document, idsFrom } from '../../storage/documents/documents.ts'
import type { Storage } from '../../storage/storage.ts'
import { conversationKey, type OrderEntry, orderEntryKey } from '../copies/order-entry.ts'
import { type OrderJournal, ordersDatabase } from '../copies/order-journal.ts'
import {
  completeKey,
  type DeletionDigest,
  deletionKey,
  digestsDatabase,
  generationKey,
  nextGeneration,
  type StarDigest,
  starKey,
  talliesPrefix,
  toDeletionDigest,
  toStarDigest,
} from './digest-documents.ts'
import { createTallies, type View } from './tallies.ts'

const copiesAtOnce = 500

const forgottenAtOnce = 500

const starredAtOnce = 100

export type Digests = ReturnType<typeof createDigests>

/**
 * Answers about all of a person's data without reading all of it. Rebuilds anything lost here from
 * places and copies.
 * @param every about how many places lie between two stored tallies
 * @param now epoch ms
 */
export function createDigests(options: {
  storage: Storage
  journal: OrderJournal
  every?: number | undefined
  now: () => number
  onError: (error: unknown) => void
}) {
  const { storage } = options
  const { recordAdded, drop, settle, ...tallies } = createTallies(options)
  const database = storage.database<Document>(digestsDatabase)

  async function forgetBeneath(prefix: string) {
    for (;;) {
      const found = await database.range({ ...idsFrom(prefix), limit: forgottenAtOnce })
      if (found.length === 0) return
      const ids = found.map(({ _id }) => _id)
      const put = ids.map((_id) => ({ _id, _deleted: true }))
      await database.update(ids, () => ({ put, result: undefined }))
    }
  }

  return {
    tallies,
    completeness: createCompleteness({ storage }),
    /** Does `walkStars` begin with the newest? */
    areStarsInOrder: storage.isAtomic,
    walkStars: (ownerId: string, isWanted: (place: Place) => boolean) =>
      walkStars(storage, ownerId, isWanted),
    listDeletions: (view: View & { after: number }) => listDeletions(storage, view),
    recordAdded,
    drop,
    settle,

    /**
     * Deletes the tallies between two people: a message returned to a place below others. The
     * return already voided them; without atomic storage, somebody may have recounted before the
     * message was written.
     */
    async forgetTallies(oneId: string, otherId: string): Promise<void> {
      const id = generationKey(oneId, otherId)
      await database.update([id], (stored) => ({
        put: [nextGeneration(id, stored)],
        result: undefined,
      }))
      await forgetBeneath(`${talliesPrefix(oneId)}${otherId}~`)
      await forgetBeneath(`${talliesPrefix(otherId)}${oneId}~`)
    },

    /** Deletes a departing person's digests. */
    async forget(userId: string): Promise<void> {
      await forgetBeneath(starKey(userId, ''))
      await forgetBeneath(completeKey(userId))
      await forgetBeneath(talliesPrefix(userId))
    },
  }
}

/** The messages behind a place that are deleted in their owner's copies. */
async function listDeletions(
  storage: Storage,
  { ownerId, peerId, after }: View & { after: number },
): Promise<DeletionDigest[]> {
  const prefix = deletionKey(ownerId, peerId, '')
  const digests = await storage.database<DeletionDigest>(digestsDatabase).range(idsFrom(prefix))
  const wanted = digests.filter(({ orderedAt }) => orderedAt > after)
  const own = storage.database<MessageDocument>(nameMessagesDatabase(ownerId))
  const found: DeletionDigest[] = []
  for (let from = 0; from < wanted.length; from += copiesAtOnce) {
    const page = wanted.slice(from, from + copiesAtOnce)
    const copies = await own.read(page.map(({ messageId }) => messageId))
    found.push(
      ...page.filter(({ messageId }) => {
        const copy = copies.get(messageId)
        return copy?.deletedAt !== undefined && isAccepted(copy)
      }),
    )
  }
  return found
}

/**
 * Tracks whether digests cover all of a person's data: not what earlier versions wrote, or what was
 * lost.
 */
function createCompleteness({ storage }: { storage: Storage }) {
  const digests = storage.database<Document>(digestsDatabase)
  const orders = storage.database<OrderEntry>(ordersDatabase)

  /** The messages among these that came with a file, by their places. */
  async function findFiles(deleted: readonly MessageDocument[]) {
    const entries = await orders.read(deleted.map(keyOf))
    return new Set(
      deleted.flatMap((message) => {
        const entry = entries.get(keyOf(message))
        return entry?.hasFile && entry.messageId === message._id ? [message._id] : []
      }),
    )
  }

  return {
    async isComplete(ownerId: string): Promise<boolean> {
      const _id = completeKey(ownerId)
      return (await digests.read([_id])).has(_id)
    },

    /** Call for a new person, and once all copies of a person are recorded. */
    async setComplete(ownerId: string): Promise<void> {
      await digests.insert({ _id: completeKey(ownerId) })
    },

    /** Creates the missing digests of these copies. */
    async record(ownerId: string, copies: readonly MessageDocument[]): Promise<void> {
      const accepted = copies.filter(isAccepted)
      const starred = accepted.filter(({ isStarred }) => isStarred)
      const deleted = accepted.filter(({ deletedAt }) => deletedAt !== undefined)
      const files = await findFiles(deleted)
      await recordDigests(storage, [
        ...starred.map((message) => toStarDigest(ownerId, message)),
        ...deleted.map((message) => {
          return { ...toDeletionDigest(message), hasFile: files.has(message._id) }
        }),
      ])
    },
  }
}

function keyOf({ senderId, recipientId, orderedAt }: MessageDocument): string {
  return orderEntryKey(conversationKey(senderId, recipientId), orderedAt)
}

/** Stores missing digests; keeps existing ones unchanged. */
export async function recordDigests(storage: Storage, digests: readonly Document[]): Promise<void> {
  if (digests.length === 0) return
  const ids = digests.map(({ _id }) => _id)
  await storage.database<Document>(digestsDatabase).update(ids, (stored) => ({
    put: digests.filter(({ _id }) => !stored.has(_id)),
    result: undefined,
  }))
}

/** Where a message stands, and in which conversation. */
type Place = Pick<MessageDocument, '_id' | 'peerId' | 'orderedAt'>

/**
 * A person's starred copies in pages, by their digests; newest first where storage is atomic.
 * Otherwise a digest may name a place that its message did not get: reads all copies, in no
 * meaningful order.
 */
async function* walkStars(
  storage: Storage,
  ownerId: string,
  isWanted: (place: Place) => boolean,
): AsyncGenerator<MessageDocument[]> {
  const digests = storage.database<StarDigest>(digestsDatabase)
  const found = await digests.range(idsFrom(starKey(ownerId, '')))
  const places = found.map(({ messageId: _id, ...rest }) => ({ ...rest, _id }))
  const worthReading = storage.isAtomic ? places.filter(isWanted).sort(byNewest) : places
  const own = storage.database<MessageDocument>(nameMessagesDatabase(ownerId))
  for (let from = 0; from < worthReading.length; from += starredAtOnce) {
    const page = worthReading.slice(from, from + starredAtOnce)
    const copies = await own.read(page.map(({ _id }) => _id))
    yield page.flatMap(({ _id }) => {
      const copy = copies.get(_id)
      return copy?.isStarred && !copy.isHidden && isAccepted(copy) && isWanted(copy) ? [copy] : []
    })
  }
}

/** Compares messages for a list, newest first. */
export function byNewest(a: Omit<Place, 'peerId'>, b: Omit<Place, 'peerId'>): number {
  return b.orderedAt - a.orderedAt || (a._id < b._id ? 1 : -1)
}
