import type { QueuedRequest, RequestEntry } from '../storage/queued-request.ts'

type SettingsRequest = Extract<QueuedRequest, { kind: 'settings' }>

export interface Folded {
  request: QueuedRequest
  /** Ids of the entries that it replaces. */
  replaced: string[]
}

/**
 * Merges a request with earlier ones about the same thing: of two blocks or pictures the later
 * counts; two changes of the profile or of settings become one. The replacement is a new entry: an old one may be
 * in flight, and its answer must not end the new one.
 *
 * @param earlier the entries of the same resource, oldest first
 */
export function foldRequest(earlier: readonly RequestEntry[], request: QueuedRequest): Folded {
  const ofKind = earlier.filter((entry) => entry.request.kind === request.kind)
  switch (request.kind) {
    case 'settings':
      return foldSettings(earlier, request)
    case 'block':
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

/** Waiting ones become one; a refused one goes only when a new one covers all of it (P6). */
function foldSettings(earlier: readonly RequestEntry[], later: SettingsRequest): Folded {
  let request = later
  const replaced: string[] = []
  for (const entry of earlier.toReversed()) {
    if (entry.request.kind !== 'settings') continue
    const names = Object.keys(entry.request.settings)
    if (entry.state === 'waiting') request = joinSettings(entry.request, request)
    else if (!names.every((name) => Object.hasOwn(later.settings, name))) continue
    replaced.push(entry._id)
  }
  return { request, replaced }
}

function joinSettings(before: SettingsRequest, after: SettingsRequest): SettingsRequest {
  const earlierTimes = Object.entries(before.settingsAt ?? {}).filter(
    ([name]) => !Object.hasOwn(after.settings, name),
  )
  return {
    kind: 'settings',
    settings: { ...before.settings, ...after.settings },
    settingsAt: { ...Object.fromEntries(earlierTimes), ...after.settingsAt },
  }
}
