import type { LiveValue } from '../../database/live-value.ts'
import type { RequestStore } from '../../database/requests/create-request-store.ts'
import type { RequestEntry } from '../../database/requests/queued-request.ts'
import type { Page } from '../powers.ts'

/** Resolves as soon as it is clear what becomes of a request. @throws Error with the server's words for a refusal */
export async function watchRequest(options: {
  entryId: string
  entries: LiveValue<readonly RequestEntry[]>
  store: Pick<RequestStore, 'list' | 'remove'>
  page: Page
}): Promise<'done' | 'kept'> {
  const { entryId, entries, store, page } = options
  const changes = createChanges(entries, page)
  try {
    for (;;) {
      const changed = changes.next()
      const entry = (await store.list()).find(({ _id }) => _id === entryId)
      if (!entry) return 'done'
      if (entry.state === 'refused') {
        await store.remove(entryId)
        throw new Error(entry.problem?.words)
      }
      if (entry.problem || !page.isOnline()) return 'kept'
      await changed
    }
  } finally {
    changes.close()
  }
}

function createChanges(entries: LiveValue<unknown>, page: Page) {
  let tell = () => {}
  const unsubscribes = [entries.subscribe(() => tell()), page.subscribe(() => tell())]
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
