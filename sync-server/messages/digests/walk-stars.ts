import { isAccepted, type MessageDocument } from '../../../schema/message.ts'
import { nameMessagesDatabase } from '../../storage/documents/database-names.ts'
import { idsFrom } from '../../storage/documents/documents.ts'
import type { Storage } from '../../storage/storage.ts'
import { digestsDatabase, type StarDigest, starKey } from './digest-documents.ts'

const copiesAtOnce = 100

/** Where a message stands, and in which conversation. */
export type Place = Pick<MessageDocument, '_id' | 'peerId' | 'orderedAt'>

/**
 * A person's starred copies in pages, by their digests; newest first where storage is atomic.
 * Otherwise a digest may name a place that its message did not get: reads all copies, in no
 * meaningful order.
 */
export async function* walkStars(
  storage: Storage,
  ownerId: string,
  isWanted: (place: Place) => boolean,
): AsyncGenerator<MessageDocument[]> {
  const digests = storage.database<StarDigest>(digestsDatabase)
  const found = await digests.range(idsFrom(starKey(ownerId, '')))
  const places = found.map(({ messageId: _id, ...rest }) => ({ ...rest, _id }))
  const worthReading = storage.isAtomic ? places.filter(isWanted).sort(byNewest) : places
  const own = storage.database<MessageDocument>(nameMessagesDatabase(ownerId))
  for (let from = 0; from < worthReading.length; from += copiesAtOnce) {
    const page = worthReading.slice(from, from + copiesAtOnce)
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
