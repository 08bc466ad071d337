import type { RequestStore } from '../../database/requests/request-store.ts'
import type { RequestEntry } from '../../database/storage/queued-request.ts'
import type { LiveValue } from '../../database/views/live-value.ts'
import type { Page } from '../platform/platform.ts'

/** Reports whether there is a network. */
export interface Reach {
  isOffline(): boolean
  connection: Pick<LiveValue<unknown>, 'subscribe'>
}

/**
 * Resolves once a request's outcome is clear.
 * @throws Error with the server's words for a refusal
 */
export async function watchRequest(options: {
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
