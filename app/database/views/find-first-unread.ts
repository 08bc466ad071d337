import type { MessageCollection } from '../storage/collections.ts'
import { queryDocuments } from '../storage/read-documents.ts'
import type { StoredMessage } from '../storage/stored-message.ts'
import { readMessagePage } from './read-message-page.ts'

const pageSize = 50

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
