import { isAccepted, type MessageDocument } from '../../schema/message.ts'
import type { Storage } from '../storage/create-storage.ts'
import { nameMessagesDatabase } from '../storage/database-names.ts'
import type { Document } from '../storage/documents.ts'
import {
  completeStarsKey,
  digestsDatabase,
  idsBeneath,
  type StarDigest,
  starKey,
  toStarDigest,
} from './digest-documents.ts'
import { recordDigests } from './record-digests.ts'

const copiesAtOnce = 100

/** Finds what people have starred by its digests. */
export function createStars({ storage }: { storage: Storage }) {
  const digests = storage.database<Document>(digestsDatabase)

  return {
    /** Says that every star of this person has its digest: at once for somebody new, else when all were recorded. */
    async complete(ownerId: string): Promise<void> {
      await digests.insert({ _id: completeStarsKey(ownerId) })
    },

    /** Has every star of this person its digest? Those of an earlier version have none. */
    async isComplete(ownerId: string): Promise<boolean> {
      const _id = completeStarsKey(ownerId)
      return (await digests.read([_id])).has(_id)
    },

    /** Makes the digests of these copies that are starred. */
    record: (ownerId: string, messages: readonly MessageDocument[]) =>
      recordDigests(
        storage,
        messages.filter(isStarred).map((message) => toStarDigest(ownerId, message)),
      ),

    /** A person's starred copies in pages, newest first. @param isWanted which of them are worth reading */
    async *walk(
      ownerId: string,
      isWanted: (star: StarDigest) => boolean,
    ): AsyncGenerator<MessageDocument[]> {
      const found = await storage
        .database<StarDigest>(digestsDatabase)
        .range(idsBeneath(starKey(ownerId, '')))
      const wanted = found.filter(isWanted).sort(byNewest)
      const own = storage.database<MessageDocument>(nameMessagesDatabase(ownerId))
      for (let from = 0; from < wanted.length; from += copiesAtOnce) {
        const page = wanted.slice(from, from + copiesAtOnce)
        const copies = await own.read(page.map(({ messageId }) => messageId))
        yield page.flatMap(({ messageId }) => {
          const copy = copies.get(messageId)
          return copy && isStarred(copy) ? [copy] : []
        })
      }
    },
  }
}

function isStarred(message: MessageDocument): boolean {
  return message.isStarred && isAccepted(message)
}

function byNewest(a: StarDigest, b: StarDigest): number {
  return b.orderedAt - a.orderedAt || (a.messageId < b.messageId ? 1 : -1)
}
