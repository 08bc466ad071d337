import { useCallback } from 'react'
import type { Messenger } from '../../sync/messenger-types.ts'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { readSettings } from '../../whatsapp/channel/read-settings.ts'
import { listLabels } from '../../whatsapp/list-labels.ts'
import { useSession } from '../session/use-session.ts'

/** The signed-in person's labels for their customers; the same function until the labels change. */
export function useLabels(messenger: Messenger): (peerId: string) => readonly string[] {
  const user = useSession()?.user
  const entries = useLiveValue(messenger.requests.entries)
  return useCallback(
    (peerId: string) => (user ? listLabels(readSettings(user, entries), peerId) : []),
    [user, entries],
  )
}
