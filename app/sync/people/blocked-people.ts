import { liveQuery } from 'dexie'
import type { PublicUser } from '../../../schema/user.ts'
import type { PeopleStore } from '../../database/people/people-store.ts'
import type { RequestEntry } from '../../database/storage/queued-request.ts'
import { createLiveValue, type LiveValue } from '../../database/views/live-value.ts'
import { createRefresher } from '../../database/views/refresher.ts'

/** Another device may have blocked somebody meanwhile: whoever returns to the page asks this often. */
const oldAfterMs = 60_000
const nobody: readonly string[] = []

export type BlockedPeople = ReturnType<typeof createBlockedPeople>

/**
 * The people that this person blocks: what the server last said, with what still waits to be sent.
 * Known offline, and in every tab.
 */
export function createBlockedPeople(options: {
  table: PeopleStore['lists']
  listBlocked: () => Promise<readonly Pick<PublicUser, '_id'>[]>
  entries: LiveValue<readonly RequestEntry[]>
  now: () => number
  onError: (cause: unknown) => void
}) {
  const { table, listBlocked, entries, now, onError } = options
  const blocked = createLiveValue<readonly string[]>(nobody)
  let stored: readonly string[] = nobody
  /** Do not store a list that the server gave before a change. */
  let changes = 0
  let askedAt = Number.NEGATIVE_INFINITY

  function publish() {
    const all = new Set(stored)
    for (const { request, state } of entries.getSnapshot()) {
      if (request.kind !== 'block' || state !== 'waiting') continue
      if (request.blocked) all.add(request.userId)
      else all.delete(request.userId)
    }
    const before = blocked.getSnapshot()
    const isSame = before.length === all.size && before.every((id) => all.has(id))
    if (!isSame) blocked.set([...all])
  }

  async function store(change: (before: readonly string[]) => readonly string[]) {
    await table.db.transaction('rw', table, async () => {
      const before = (await table.get('blocked'))?.userIds ?? nobody
      await table.put({ _id: 'blocked', userIds: change(before) })
    })
  }

  const refresher = createRefresher({
    onError: () => {},
    async run() {
      const before = changes
      askedAt = now()
      const people = await listBlocked().catch((cause: unknown) => {
        askedAt = Number.NEGATIVE_INFINITY
        throw cause
      })
      if (changes === before) await store(() => people.map(({ _id }) => _id)).catch(onError)
    },
  })
  const watching = liveQuery(() => table.get('blocked')).subscribe({
    next(kept) {
      stored = kept?.userIds ?? nobody
      publish()
    },
    error: onError,
  })
  const unsubscribe = entries.subscribe(publish)

  return {
    blocked: blocked as LiveValue<readonly string[]>,

    /** Asks the server; without a network the known list stays. */
    refresh: () => void refresher.refresh(),

    /** The same, unless it has just been asked and did not fail. */
    refreshIfOld() {
      if (now() - askedAt >= oldAfterMs) void refresher.refresh()
    },

    /** The server has accepted this change. */
    async record({ userId, blocked: isBlocked }: { userId: string; blocked: boolean }) {
      changes += 1
      await store((before) => [
        ...before.filter((id) => id !== userId),
        ...(isBlocked ? [userId] : []),
      ])
    },

    close() {
      watching.unsubscribe()
      unsubscribe()
      refresher.close()
    },
  }
}
