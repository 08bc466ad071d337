import { isAccepted, type MessageDocument } from '../../schema/message.ts'
import type { Storage } from '../storage/create-storage.ts'
import { nameMessagesDatabase } from '../storage/database-names.ts'
import { digestsDatabase, idsBeneath, type StarDigest, starKey } from './digest-documents.ts'

const copiesAtOnce = 100

/**
 * A person's starred copies in pages, newest first, found by their digests.
 * @param isWanted which of them are worth reading
 */
export async function* walkStars(
  storage: Storage,
  ownerId: string,
  isWanted: (star: StarDigest) => boolean,
): AsyncGenerator<MessageDocument[]> {
  const digests = storage.database<StarDigest>(digestsDatabase)
  const found = await digests.range(idsBeneath(starKey(ownerId, '')))
  const wanted = found.filter(isWanted).sort(byNewest)
  const own = storage.database<MessageDocument>(nameMessagesDatabase(ownerId))
  for (let from = 0; from < wanted.length; from += copiesAtOnce) {
    const page = wanted.slice(from, from + copiesAtOnce)
    const copies = await own.read(page.map(({ messageId }) => messageId))
    yield page.flatMap(({ messageId }) => {
      const copy = copies.get(messageId)
      return copy?.isStarred && isAccepted(copy) ? [copy] : []
    })
  }
}

function byNewest(a: StarDigest, b: StarDigest): number {
  return b.orderedAt - a.orderedAt || (a.messageId < b.messageId ? 1 : -1)
}
