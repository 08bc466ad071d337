import type { RxDocumentData } from 'rxdb/plugins/core'
import type { MessageCollection } from './collections.ts'
import { queryDocuments } from './read-documents.ts'
import type { StoredMessage } from './stored-message.ts'

/** The messages with this tally, newest first, at most `limit`. */
export async function listTally(
  messages: MessageCollection,
  tally: string,
  limit?: number,
): Promise<RxDocumentData<StoredMessage>[]> {
  return await queryDocuments(messages, {
    selector: { tally },
    sort: [{ tally: 'asc' }, { recency: 'asc' }],
    index: ['tally', 'recency'],
    ...(limit && { limit }),
  })
}
