import type { QueuedRequest, RequestEntry } from '../storage/queued-request.ts'

export interface Folded {
  request: QueuedRequest
  /** Ids of the entries that it replaces. */
  replaced: string[]
}

/**
 * Merges a request with earlier ones about the same thing: of two blocks, settings or pictures the
 * later counts; two profile changes become one. The replacement is a new entry: an old one may be
 * in flight, and its answer must not end the new one.
 *
 * @param earlier the entries of the same resource, oldest first
 */
export function foldRequest(earlier: readonly RequestEntry[], request: QueuedRequest): Folded {
  const ofKind = earlier.filter((entry) => entry.request.kind === request.kind)
  switch (request.kind) {
    case 'block':
    case 'settings':
    case 'picture':
      return { request, replaced: ofKind.map(({ _id }) => _id) }
    case 'profile':
      return foldProfile(earlier, request)
    default:
      return { request, replaced: [] }
  }
}

function foldProfile(
  earlier: readonly RequestEntry[],
  later: Extract<QueuedRequest, { kind: 'profile' }>,
): Folded {
  const covered = earlier.filter(
    ({ request, state }) =>
      state === 'refused' &&
      request.kind === 'profile' &&
      Object.keys(request.change).every((field) => field in later.change),
  )
  const replaced = covered.map(({ _id }) => _id)
  // Only the last one: merging across a picture would reorder them.
  const last = earlier.findLast(({ state }) => state === 'waiting')
  if (last?.request.kind !== 'profile') return { request: later, replaced }
  const change = { ...last.request.change, ...later.change }
  return { request: { kind: 'profile', change }, replaced: [...replaced, last._id] }
}
