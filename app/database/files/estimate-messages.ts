import type { PetrelDatabase } from '../storage/open-database.ts'
import { countDocuments, queryDocuments } from '../storage/read-documents.ts'
import { readConversations } from '../views/read-conversations.ts'

/** This many of the newest messages stand for all of a chat. */
const sampleSize = 20

/**
 * How many messages each chat has on this device, and about how many bytes they take: the text of
 * the newest ones, times the count. Neither their index nor the search is in it.
 */
export async function estimateMessages({
  messages,
  conversations,
}: Pick<PetrelDatabase, 'messages' | 'conversations'>) {
  const chats: { peerId: string; count: number; bytes: number }[] = []
  for (const { _id: peerId, clearedUpTo } of await readConversations(conversations)) {
    const selector = { shelf: peerId, recency: { $lt: -clearedUpTo } }
    const index = ['shelf', 'recency']
    const count = await countDocuments(messages, { selector, index })
    if (count === 0) continue
    const sample = await queryDocuments(messages, {
      selector,
      index,
      sort: [{ shelf: 'asc' }, { recency: 'asc' }],
      limit: sampleSize,
    })
    const bytes = new TextEncoder().encode(JSON.stringify(sample)).length
    chats.push({ peerId, count, bytes: Math.round((bytes / Math.max(1, sample.length)) * count) })
  }
  return chats
}
