import { IDBKeyRange } from 'fake-indexeddb'
import { must } from '../../../schema/helpers/assertions.ts'
import { type MessageDocument, messageDocument } from '../../../schema/message.ts'
import { createMessageSource } from '../search/database-message-source.ts'
import { peerBucket } from '../search/index-terms.ts'
import { openIndexStore } from '../search/open-index-store.ts'
import { decodeLines } from '../search/posting-lines.ts'
import { createSearchIndex, type SearchIndexOptions } from '../search/search-index.ts'
import { compareNewestFirst } from '../search/search-messages.ts'
import { matchesQuery, parseQuery } from '../search/search-query.ts'
import type { PetrelDatabase } from '../storage/open-database.ts'
import { queryDocuments } from '../storage/read-documents.ts'
import { fromStoredMessage, toStoredMessage } from '../storage/stored-message.ts'
import { ann, openTestDatabase } from './open-test-database.ts'

/** Ann's database with a search index, and two external checks of that index. */
export async function openTestSearch() {
  const opened = await openTestDatabase()
  const { indexedDB, database } = opened
  const place = { databaseName: `petrel-${opened.device}`, indexedDB, IDBKeyRange }
  const openIndex = (
    options: Partial<SearchIndexOptions<MessageDocument>> = {},
    of: PetrelDatabase = database,
  ) =>
    createSearchIndex({
      ...place,
      messages: createMessageSource(of),
      yieldToScreen: () => new Promise((resolve) => setImmediate(resolve)),
      ...options,
    })
  return {
    ...opened,
    openIndex,
    scan: (text: string, peerId?: string) => scanMessages(database, text, peerId),
    /** Every stored index term, in order, without conversation terms. */
    async readTerms(): Promise<string[]> {
      const store = await openIndexStore(place)
      const rows = await store.postings.filter((row) => row.bucket < peerBucket).toArray()
      store.close()
      return [...new Set(rows.flatMap((row) => [...decodeLines(row.lines).keys()]))].sort()
    },
    async readWholeIndex(): Promise<string> {
      const store = await openIndexStore(place)
      const tables = await Promise.all(store.tables.map((table) => table.toArray()))
      store.close()
      return JSON.stringify(tables)
    },
  }
}

/** The expected hits, found without any index: newest first. */
async function scanMessages(
  database: PetrelDatabase,
  text: string,
  peerId?: string,
): Promise<string[]> {
  const messages = await listSearchable(database)
  return messages
    .filter((message) => !peerId || message.peerId === peerId)
    .filter((message) => matchesQuery(message.content, parseQuery(text)))
    .map((message) => message._id)
}

/** All searchable messages, newest first. */
export async function listSearchable(database: PetrelDatabase): Promise<MessageDocument[]> {
  const byId = { selector: {}, sort: [{ _id: 'asc' as const }], index: ['_id'] }
  const conversations = await queryDocuments(database.conversations, byId)
  const marks = new Map(conversations.map((one) => [one._id, one.clearedUpTo]))
  const messages = await queryDocuments(database.messages, byId)
  return messages
    .map(fromStoredMessage)
    .filter((message) => message.deletedAt === undefined)
    .filter((message) => message.orderedAt > (marks.get(message.peerId) ?? 0))
    .sort(compareNewestFirst)
}

/** Messages from one person, stored together as by a catch-up. */
export async function receiveMessages(
  database: PetrelDatabase,
  messages: readonly { _id: string; peerId: string; orderedAt: number; content: string }[],
): Promise<void> {
  const { success } = await database.messages.bulkInsert(
    messages.map((message) =>
      toStoredMessage(
        messageDocument.parse({
          ...message,
          senderId: message.peerId,
          recipientId: ann,
          createdAt: message.orderedAt,
          status: 'delivered',
        }),
        ann,
      ),
    ),
  )
  must(success.length === messages.length || undefined, 'a stored message')
}
