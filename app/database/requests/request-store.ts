import { v7 as createId } from 'uuid'
import type { DeviceStore } from '../storage/open-device-store.ts'
import { type QueuedRequest, type RequestEntry, resourceKey } from '../storage/queued-request.ts'
import { foldRequest } from './fold-request.ts'

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
