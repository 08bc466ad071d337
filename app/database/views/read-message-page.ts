import type { RxDocumentData } from 'rxdb/plugins/core'
import type { MessageCollection } from '../storage/collections.ts'
import { queryDocuments } from '../storage/read-documents.ts'
import type { StoredMessage } from '../storage/stored-message.ts'

export interface PageRequest {
  peerId: string
  /**
   * Where the page begins; places are `orderedAt` values, inclusive, so that equal places are not
   * lost.
   */
  from: 'newest' | { olderThan: number } | { newerThan: number }
  /** Hides messages up to and including this place. */
  clearedUpTo: number
  limit: number
}

/** One page of a conversation, nearest first, read by key along an index in that direction. */
export async function readMessagePage(
  messages: MessageCollection,
  request: PageRequest,
): Promise<RxDocumentData<StoredMessage>[]> {
  const { peerId, from, clearedUpTo, limit } = request
  if (from !== 'newest' && 'newerThan' in from) {
    const place = { $gte: Math.max(from.newerThan, clearedUpTo + 1) }
    return queryDocuments(messages, {
      selector: { shelf: peerId, orderedAt: place },
      sort: [{ shelf: 'asc' }, { orderedAt: 'asc' }],
      index: ['shelf', 'orderedAt'],
      limit,
    })
  }
  const bound = from === 'newest' ? {} : { $gte: -from.olderThan }
  return queryDocuments(messages, {
    selector: { shelf: peerId, recency: { ...bound, $lt: -clearedUpTo } },
    sort: [{ shelf: 'asc' }, { recency: 'asc' }],
    index: ['shelf', 'recency'],
    limit,
  })
}
