import { matchesQuery, parseQuery } from '../../database/search/search-query.ts'

/** A matching message and its place in the conversation, epoch ms. */
export interface Hit {
  _id: string
  orderedAt: number
}

/**
 * The server searches for any part of the text. Of its answer counts what this device would find
 * too: only that is marked, and found again without the network.
 */
export function readServerHits(
  found: readonly { _id: string; orderedAt: string; content: string }[],
  query: string,
): Hit[] {
  const wanted = parseQuery(query)
  return found
    .filter(({ content }) => matchesQuery(content, wanted))
    .map(({ _id, orderedAt }) => ({ _id, orderedAt: Date.parse(orderedAt) }))
}

/**
 * Merges both without duplicates, newest first; the device's place wins where both know a message.
 */
export function mergeHits(local: readonly Hit[], remote: readonly Hit[]): Hit[] {
  const places = new Map(
    [...remote, ...local].map(({ _id, orderedAt }) => [_id, orderedAt] as const),
  )
  return [...places]
    .map(([_id, orderedAt]) => ({ _id, orderedAt }))
    .sort((a, b) => b.orderedAt - a.orderedAt || (a._id < b._id ? 1 : -1))
}

/** The index after `step`, wrapping at both ends; `count` is at least 1. */
export function stepHit(index: number, step: 1 | -1, count: number): number {
  return (index + step + count) % count
}
