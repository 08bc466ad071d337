import { v7 as createId } from 'uuid'
import type { DeviceStore } from './open-device-store.ts'
import { type QueuedRequest, type RequestEntry, resourceKey } from './queued-request.ts'

export type RequestStore = ReturnType<typeof createRequestStore>

/** This device's waiting requests, in the order they were made. */
export function createRequestStore(options: { table: DeviceStore['requests']; now: () => number }) {
  const { table, now } = options

  /** Does nothing if the entry is gone. */
  async function change(entryId: string, changes: Partial<RequestEntry>) {
    await table.where('_id').equals(entryId).modify(changes)
  }

  return {
    /** Stores a request, replacing those it makes obsolete. @returns the id of its entry */
    async add(request: QueuedRequest): Promise<string> {
      const _id = createId()
      const resource = resourceKey(request, _id)
      await table.db.transaction('rw', table, async () => {
        const earlier = await table.where('resource').equals(resource).sortBy('order')
        const folded = foldRequest(earlier, request)
        await table.where('_id').anyOf(folded.replaced).delete()
        await table.add({
          _id,
          resource,
          timestamp: now(),
          state: 'waiting',
          request: folded.request,
        })
      })
      return _id
    },

    list: (): Promise<RequestEntry[]> => table.toArray(),

    /** The first waiting request about this. */
    async next(resource: string): Promise<RequestEntry | undefined> {
      const entries = await table.where('resource').equals(resource).sortBy('order')
      return entries.find(({ state }) => state === 'waiting')
    },

    countWaiting: () => table.filter(({ state }) => state === 'waiting').count(),

    /** Records why it has not been sent yet; it keeps waiting. */
    delay: (entryId: string, problem: RequestEntry['problem']) => change(entryId, { problem }),

    refuse: (entryId: string, problem: RequestEntry['problem']) =>
      change(entryId, { problem, state: 'refused' }),

    /** Makes a refused request wait for a retry. */
    retry: (entryId: string) => change(entryId, { state: 'waiting', problem: undefined }),

    async remove(entryId: string) {
      await table.where('_id').equals(entryId).delete()
    },
  }
}

type SettingsRequest = Extract<QueuedRequest, { kind: 'settings' }>

interface Folded {
  request: QueuedRequest
  /** Ids of the entries that it replaces. */
  replaced: string[]
}

/**
 * Merges a request with earlier ones about the same thing: of two blocks, pictures or answers the
 * later counts; two changes of the profile or of settings become one. The replacement is a new entry: an old one may be
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
    case 'join':
      return { request, replaced: ofKind.map(({ _id }) => _id) }
    case 'join-answer':
      return { request, replaced: listAnswers(earlier, request.userId) }
    default:
      return { request, replaced: [] }
  }
}

/** What was answered before to the same person who asks to join. */
const listAnswers = (earlier: readonly RequestEntry[], userId: string) =>
  earlier.flatMap(({ _id, request }) =>
    request.kind === 'join-answer' && request.userId === userId ? _id : [],
  )

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
