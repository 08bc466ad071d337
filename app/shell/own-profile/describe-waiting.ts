import type { RequestEntry } from '../../database/storage/queued-request.ts'

/** What of one's own record is only on this device so far, in words. */
export function describeWaiting(
  entries: readonly Pick<RequestEntry, 'state' | 'request' | 'problem'>[],
  { isOffline }: { isOffline: boolean },
): { changes?: string; picture?: string } {
  const waiting = entries.filter(
    ({ state, problem }) => state === 'waiting' && (isOffline || problem !== undefined),
  )
  const why = isOffline ? "when you're back online" : 'as soon as the server answers'
  const has = (kind: RequestEntry['request']['kind']) =>
    waiting.some(({ request }) => request.kind === kind)
  return {
    ...(has('profile') && { changes: `Your changes are kept here and will be saved ${why}.` }),
    ...(has('picture') && {
      picture: `Your new picture is kept here and will be uploaded ${why}.`,
    }),
  }
}
