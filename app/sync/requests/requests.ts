import type { CommandContext } from '../../database/storage/collections.ts'
import { subscribeToTable } from '../../database/storage/open-device-store.ts'
import type { QueuedRequest, RequestEntry } from '../../database/storage/queued-request.ts'
import { createRequestStore, type RequestStore } from '../../database/storage/request-store.ts'
import { createLiveValue, type LiveValue } from '../../database/views/live-value.ts'
import type { Page, Platform } from '../platform/platform.ts'
import type { Drain, OnSettings } from './drain.ts'
import type { RequestCalls } from './request-calls.ts'

/**
 * Pending server requests that are not documents. They survive everything that a message survives.
 */
export interface Requests {
  /** Oldest first, including refused ones. */
  entries: LiveValue<readonly RequestEntry[]>
  /** As stored now: `entries` may yet have to be read. */
  list(): Promise<readonly RequestEntry[]>
  /** Resolves with the entry's id once the device has stored it; sends it as soon as possible. */
  add(request: QueuedRequest): Promise<string>
  /**
   * For a form: `done` when the server accepted it, `kept` when it must wait for the network.
   * Rejects with the server's words when refused, and then drops it.
   */
  submit(request: QueuedRequest): Promise<'done' | 'kept'>
  /** Retries a refused one. */
  retry(entryId: string): Promise<void>
  /** Drops one. A request in flight may still take effect. */
  discard(entryId: string): Promise<void>
}

export type RequestQueue = ReturnType<typeof createRequests>

/** One tab's queue; only the leader sends. */
export function createRequests(options: {
  context: CommandContext
  calls: RequestCalls
  platform: Pick<Platform, 'page' | 'random'>
  reach: Reach
  isSignedIn: () => boolean
  onSignedOut: () => void
  onSettings: OnSettings
  onError: (cause: unknown) => void
}) {
  const { context, calls, platform, reach, isSignedIn, onSignedOut, onError } = options
  const { onSettings } = options
  const table = context.database.device.requests
  const store = createRequestStore({ table, now: context.now })
  const entries = createLiveValue<readonly RequestEntry[]>([])
  const leadership: { current?: { drain?: Drain; isOver: boolean } } = {}

  /** Loads the sending code when there is something to send. */
  async function wake() {
    const ours = leadership.current
    if (!ours) return
    if (ours.drain) return ours.drain.look()
    if (entries.getSnapshot().every(({ state }) => state === 'refused')) return
    const { createDrain } = await import('./drain.ts')
    if (ours.isOver || ours.drain) return
    ours.drain = createDrain({
      store,
      calls,
      isSignedIn,
      onSignedOut,
      onSettings,
      onError,
      random: platform.random,
    })
  }

  function hurry() {
    leadership.current?.drain?.hurry()
    wake().catch(onError)
  }

  function show(rows: readonly RequestEntry[]) {
    entries.set(keepUnchanged(entries.getSnapshot(), rows))
    wake().catch(onError)
  }

  /** A tab sees its own change immediately, before the database notifies everyone. */
  async function shown<Result>(work: Promise<Result>): Promise<Result> {
    const result = await work
    show(await store.list())
    return result
  }

  const unsubscribes = [
    subscribeToTable(table, {
      onRows: show,
      onError,
    }),
    platform.page.subscribe((event) => {
      if (event === 'online' || event === 'front') hurry()
    }),
  ]

  const requests: Requests = {
    entries,
    list: store.list,
    add: (request) => shown(store.add(request)),
    async submit(request) {
      const entryId = await shown(store.add(request))
      return await watchRequest({ entryId, entries, store, page: platform.page, reach })
    },
    retry: (entryId) => shown(store.retry(entryId)),
    discard: (entryId) => shown(store.remove(entryId)),
  }
  return {
    requests,
    hurry,
    nextTryInMs: (resource: string) => leadership.current?.drain?.nextTryInMs(resource),
    countWaiting: store.countWaiting,
    /** Is a block or a report of this person in it, waiting or refused? */
    concerns: (userId: string) =>
      entries
        .getSnapshot()
        .some(
          ({ request }) =>
            (request.kind === 'block' || request.kind === 'report') && request.userId === userId,
        ),
    /** This tab begins to lead: it sends. The returned function ends it. */
    begin(): () => Promise<void> {
      const ours: { drain?: Drain; isOver: boolean } = { isOver: false }
      leadership.current = ours
      wake().catch(onError)
      return async () => {
        ours.isOver = true
        if (leadership.current === ours) delete leadership.current
        await ours.drain?.close()
      }
    },
    close() {
      for (const unsubscribe of unsubscribes) unsubscribe()
    },
  }
}

function keepUnchanged(before: readonly RequestEntry[], rows: readonly RequestEntry[]) {
  const known = new Map(before.map((entry) => [entry._id, entry]))
  return rows.map((row) => {
    const same = known.get(row._id)
    if (!same) return row
    const isSame = same.state === row.state && same.problem?.words === row.problem?.words
    // A picture that waits stays the same bytes, so that it is not drawn again with each attempt.
    return isSame ? same : { ...row, request: same.request }
  })
}

/** Reports whether there is a network. */
interface Reach {
  isOffline(): boolean
  connection: Pick<LiveValue<unknown>, 'subscribe'>
}

/**
 * Resolves once a request's outcome is clear.
 * @throws Error with the server's words for a refusal
 */
async function watchRequest(options: {
  entryId: string
  entries: LiveValue<readonly RequestEntry[]>
  store: Pick<RequestStore, 'list' | 'remove'>
  page: Pick<Page, 'subscribe'>
  reach: Reach
}): Promise<'done' | 'kept'> {
  const { entryId, entries, store, page, reach } = options
  const changes = createChanges([entries, page, reach.connection])
  try {
    for (;;) {
      const changed = changes.next()
      const entry = (await store.list()).find(({ _id }) => _id === entryId)
      if (!entry) return 'done'
      if (entry.state === 'refused') {
        await store.remove(entryId)
        throw new Error(entry.problem?.words)
      }
      if (entry.problem || reach.isOffline()) return 'kept'
      await changed
    }
  } finally {
    changes.close()
  }
}

function createChanges(sources: readonly { subscribe(listener: () => void): () => void }[]) {
  let tell = () => {}
  const unsubscribes = sources.map((source) => source.subscribe(() => tell()))
  return {
    next: () =>
      new Promise<void>((resolve) => {
        tell = resolve
      }),
    close() {
      for (const unsubscribe of unsubscribes) unsubscribe()
    },
  }
}
