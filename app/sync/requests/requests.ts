import { createRequestStore } from '../../database/requests/request-store.ts'
import type { CommandContext } from '../../database/storage/command-context.ts'
import { subscribeToTable } from '../../database/storage/open-device-store.ts'
import type { QueuedRequest, RequestEntry } from '../../database/storage/queued-request.ts'
import { createLiveValue, type LiveValue } from '../../database/views/live-value.ts'
import type { Platform } from '../platform/platform.ts'
import type { Drain } from './drain.ts'
import type { RequestCalls } from './request-calls.ts'
import { type Reach, watchRequest } from './watch-request.ts'

/** What waits to be asked of the server, because it is not a document. It survives all that a message survives. */
export interface Requests {
  /** Oldest first, refused ones among them. */
  entries: LiveValue<readonly RequestEntry[]>
  /** Resolves with the id of its entry when it is kept on the device; it goes as soon as it can. */
  add(request: QueuedRequest): Promise<string>
  /**
   * For a form: `done` when the server has taken it, `kept` when that must wait for the network.
   * Rejects with the server's words when it is refused, and then it waits no more.
   */
  submit(request: QueuedRequest): Promise<'done' | 'kept'>
  /** Tries a refused one again. */
  retry(entryId: string): Promise<void>
  /** Forgets one. What is on its way may be done all the same. */
  discard(entryId: string): Promise<void>
}

/** The queue of one tab; of several only the one whose turn it is sends. */
export function createRequests(options: {
  context: CommandContext
  calls: RequestCalls
  platform: Pick<Platform, 'page' | 'random'>
  reach: Reach
  isSignedIn: () => boolean
  onSignedOut: () => void
  onError: (cause: unknown) => void
}) {
  const { context, calls, platform, reach, isSignedIn, onSignedOut, onError } = options
  const table = context.database.device.requests
  const store = createRequestStore({ table, now: context.now })
  const entries = createLiveValue<readonly RequestEntry[]>([])
  const leadership: { current?: { drain?: Drain; isOver: boolean } } = {}

  /** The code that sends is fetched when there is something to send. */
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

  /** Whoever changes something sees it at once, before the database tells everybody. */
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
    countWaiting: store.countWaiting,
    /** The turn to send is this tab's; what it gives ends that. */
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
    return same?.state === row.state && same.problem?.words === row.problem?.words ? same : row
  })
}
