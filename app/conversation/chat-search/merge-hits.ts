/** A message that was found, and its place in the conversation: epoch ms. */
export interface Hit {
  _id: string
  orderedAt: number
}

/** Both without duplicates, newest first; where both know a message, the device's place counts. */
export function mergeHits(local: readonly Hit[], remote: readonly Hit[]): Hit[] {
  const places = new Map(
    [...remote, ...local].map(({ _id, orderedAt }) => [_id, orderedAt] as const),
  )
  return [...places]
    .map(([_id, orderedAt]) => ({ _id, orderedAt }))
    .sort((a, b) => b.orderedAt - a.orderedAt || (a._id < b._id ? 1 : -1))
}

/** The index `step` further, wrapping at both ends; `count` is at least 1. */
export function stepHit(index: number, step: 1 | -1, count: number): number {
  return (index + step + count) % count
}
