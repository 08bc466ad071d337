import { isAccepted, type MessageDocument } from '../../../schema/message.ts'
import { nameMessagesDatabase } from '../../storage/databases/database-names.ts'
import type { Document } from '../../storage/documents/documents.ts'
import { idsFrom } from '../../storage/documents/ids-from.ts'
import type { Storage } from '../../storage/storage.ts'
import type { OrderJournal } from '../order/order-journal.ts'
import { createCompleteness } from './completeness.ts'
import {
  completeKey,
  type DeletionDigest,
  deletionKey,
  digestsDatabase,
  generationKey,
  nextGeneration,
  starKey,
  talliesPrefix,
} from './digest-documents.ts'
import { createTallies, type View } from './tallies.ts'
import { type Place, walkStars } from './walk-stars.ts'

const copiesAtOnce = 500

const forgottenAtOnce = 500

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
