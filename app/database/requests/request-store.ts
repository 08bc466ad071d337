import { v7 as createId } from 'uuid'
import type { DeviceStore } from '../storage/open-device-store.ts'
import { type QueuedRequest, type RequestEntry, resourceKey } from '../storage/queued-request.ts'
import { foldRequest } from './fold-request.ts'

export type RequestStore = ReturnType<typeof createRequestStore>

/** The requests that wait on this device, in the order in which they were asked. */
export function createRequestStore(options: { table: DeviceStore['requests']; now: () => number }) {
  const { table, now } = options

  /** Nothing where the entry has gone meanwhile. */
  async function change(entryId: string, changes: Partial<RequestEntry>) {
    await table.where('_id').equals(entryId).modify(changes)
  }

  return {
    /** Keeps a request, in place of those that it makes needless. @returns the id of its entry */
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

    /** The first that waits, of those about this. */
    async next(resource: string): Promise<RequestEntry | undefined> {
      const entries = await table.where('resource').equals(resource).sortBy('order')
      return entries.find(({ state }) => state === 'waiting')
    },

    countWaiting: () => table.filter(({ state }) => state === 'waiting').count(),

    /** Tells why it has not gone yet; it goes on waiting. */
    delay: (entryId: string, problem: RequestEntry['problem']) => change(entryId, { problem }),

    refuse: (entryId: string, problem: RequestEntry['problem']) =>
      change(entryId, { problem, state: 'refused' }),

    /** Lets a refused one try again. */
    retry: (entryId: string) => change(entryId, { state: 'waiting', problem: undefined }),

    async remove(entryId: string) {
      await table.where('_id').equals(entryId).delete()
    },
  }
}
