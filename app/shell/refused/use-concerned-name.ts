import { useMemo } from 'react'
import type { QueuedRequest } from '../../database/storage/queued-request.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { type LiveSource, useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { findConcerned } from './describe-refused.ts'

const nobody: LiveSource<undefined> = { getSnapshot: () => undefined, subscribe: () => () => {} }

/** The name of the person concerned by a request; whoever has left is "Deleted user". */
export function useConcernedName(request: QueuedRequest, users: Messenger['users']): string {
  const concerned = findConcerned(request)
  const person = useMemo(
    () => (concerned === undefined ? nobody : users.get(concerned)),
    [concerned, users],
  )
  return useLiveValue(person)?.username ?? 'somebody'
}
