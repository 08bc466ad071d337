import { type Candidate, findCandidates } from './find-candidates.ts'
import { listLookups } from './index-terms.ts'
import type { MessageSource, SearchableMessage } from './message-source.ts'
import type { IndexStore } from './open-index-store.ts'
import { matchesQuery, parseQuery } from './search-query.ts'

export interface SearchRequest {
  /** As typed. A message must contain every word, each matched by its beginning. */
  text: string
  /** Only the conversation with this person. */
  peerId?: string
  limit: number
  /** The previous page's `next`. */
  before?: Candidate
}

export interface FoundPage<Message> {
  /** Newest first. */
  messages: Message[]
  /** Where the next page begins; absent at the end. */
  next?: Candidate
}

export async function searchMessages<Message extends SearchableMessage>(
  { store, source }: { store: IndexStore; source: MessageSource<Message> },
  { text, peerId, limit, before }: SearchRequest,
): Promise<FoundPage<Message>> {
  const query = parseQuery(text)
  const found: FoundPage<Message> = { messages: [] }
  if (query.length === 0) return found
  const lookups = listLookups(query)
  const clearedMarks = await source.readClearedMarks()
  for await (const batch of findCandidates(store, { lookups, peerId, before })) {
    for (let from = 0; from < batch.length; from += limit) {
      if (found.messages.length === limit) return found
      const candidates = batch.slice(from, from + limit)
      // The index may lag and only narrows the search: the current text decides.
      const messages = await source.readMessages(candidates.map(({ _id }) => _id))
      for (const candidate of candidates) {
        const message = messages.get(candidate._id)
        if (!message || !matchesQuery(message.content, query)) continue
        if (message.orderedAt <= (clearedMarks.get(message.peerId) ?? 0)) continue
        if (found.messages.length === limit) return found
        found.messages.push(message)
        found.next = candidate
      }
    }
  }
  return { messages: found.messages }
}
