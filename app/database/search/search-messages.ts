import { type Lookup, listLookups, peerBucket } from './index-terms.ts'
import type { MessageSource, SearchableMessage } from './message-source.ts'
import type { IndexStore, SegmentHead } from './open-index-store.ts'
import { scanLines, segmentSize } from './posting-lines.ts'
import { matchesQuery, parseQuery } from './search-query.ts'

const firstSegments = 4

const segmentsMax = 64

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

/** A possible hit, as far as the index knows. Newest first means by `orderedAt`, then by `_id`. */
export interface Candidate {
  _id: string
  orderedAt: number
}

interface CandidateQuery {
  lookups: readonly Lookup[]
  peerId?: string | undefined
  /** Only candidates after this one, further into the past. */
  before?: Candidate | undefined
}

/**
 * The candidates, newest first, in batches. Reads the most recently filled segments first, growing
 * the batch each time, and yields only candidates that no unread segment can precede.
 */
export async function* findCandidates(
  store: IndexStore,
  query: CandidateQuery,
): AsyncGenerator<Candidate[]> {
  const { before } = query
  const heads = (await store.heads.toArray())
    .filter((head) => !before || head.oldest <= before.orderedAt)
    .reverse()
  const newestOfRest = listNewestOfRest(heads)
  let waiting: Candidate[] = []
  for (let from = 0, step = firstSegments; from < heads.length; ) {
    const batch = heads.slice(from, from + step)
    for (const candidate of await readCandidates(store, batch, query)) {
      if (!before || compareNewestFirst(before, candidate) < 0) waiting.push(candidate)
    }
    from += batch.length
    step = Math.min(segmentsMax, step * 2)
    const rest = newestOfRest[from] ?? Number.NEGATIVE_INFINITY
    const ready = waiting.filter((candidate) => candidate.orderedAt > rest)
    if (ready.length === 0) continue
    waiting = waiting.filter((candidate) => candidate.orderedAt <= rest)
    yield ready.sort(compareNewestFirst)
  }
}

export function compareNewestFirst(a: Candidate, b: Candidate): number {
  return b.orderedAt - a.orderedAt || (a._id < b._id ? 1 : a._id > b._id ? -1 : 0)
}

/** At each index the newest message of that segment and all behind it. */
function listNewestOfRest(heads: readonly SegmentHead[]): number[] {
  let newest = Number.NEGATIVE_INFINITY
  return heads
    .map((head) => head.newest)
    .reduceRight<number[]>((list, own) => {
      newest = Math.max(newest, own)
      list.push(newest)
      return list
    }, [])
    .reverse()
}

/** @param heads in descending order of their segments */
async function readCandidates(
  store: IndexStore,
  heads: readonly SegmentHead[],
  query: CandidateQuery,
): Promise<Candidate[]> {
  const last = heads[0]?.segment
  const first = heads.at(-1)?.segment
  const lookups = query.peerId
    ? [{ bucket: peerBucket, prefix: `${query.peerId}\t` }, ...query.lookups]
    : query.lookups
  return store.transaction('r', store.postings, store.members, async () => {
    const rowsOfLookups = await Promise.all(
      lookups.map(({ bucket }) =>
        store.postings
          .where('[bucket+segment]')
          .between([bucket, first], [bucket, last], true, true)
          .toArray(),
      ),
    )
    const tallies = new Map(heads.map(({ segment }) => [segment, new Uint8Array(segmentSize)]))
    rowsOfLookups.forEach((rows, lookup) => {
      const prefix = lookups[lookup]?.prefix ?? ''
      for (const { segment, lines } of rows) {
        const tally = tallies.get(segment)
        if (!tally) continue
        // A position remains only if every lookup before this one had it.
        scanLines(lines, prefix, (position) => {
          if (tally[position] === lookup) tally[position] = lookup + 1
        })
      }
    })
    const hits = [...tallies].filter(([, tally]) => tally.includes(lookups.length))
    const members = await store.members.bulkGet(hits.map(([segment]) => segment))
    const candidates: Candidate[] = []
    hits.forEach(([, tally], index) => {
      const { ids = '', orders = [] } = members[index] ?? {}
      const idAt = ids.split('\n')
      for (const [position, orderedAt] of orders.entries()) {
        const _id = idAt[position]
        if (tally[position] === lookups.length && _id) candidates.push({ _id, orderedAt })
      }
    })
    return candidates
  })
}
