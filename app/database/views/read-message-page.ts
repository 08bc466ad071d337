import type { RxDocumentData } from 'rxdb/plugins/core'
import type { MessageCollection } from '../storage/collections.ts'
import { queryDocuments } from '../storage/read-documents.ts'
import type { StoredMessage } from '../storage/stored-message.ts'

const pageSize = 50

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

/**
 * The other person's oldest message above a mark; reads upwards from there, never the whole range.
 */
export async function findFirstUnread(
  messages: MessageCollection,
  { peerId, readUpTo }: { peerId: string; readUpTo: number },
): Promise<StoredMessage | undefined> {
  const unread = await queryDocuments(messages, {
    selector: { tally: peerId, recency: { $lt: -readUpTo } },
    sort: [{ tally: 'asc' }, { recency: 'asc' }],
    index: ['tally', 'recency'],
    limit: 1,
  })
  if (unread.length === 0) return undefined
  for (let from = readUpTo + 1; ; ) {
    const request = { peerId, from: { newerThan: from }, clearedUpTo: readUpTo, limit: pageSize }
    const page = await readMessagePage(messages, request)
    const first = page.find(({ tally }) => tally === peerId)
    const last = page.at(-1)
    if (first || !last || page.length < pageSize) return first
    from = last.orderedAt + 1
  }
}
