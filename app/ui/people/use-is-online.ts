import { useEffect } from 'react'
import { type LiveSource, useLivePart } from '../hooks/use-live-value.ts'

/** Reports who is online among the watched people. */
export interface PresenceSource {
  presence: LiveSource<{ isOnline(userId: string): boolean }>
  /** @returns a function that stops watching */
  watchPerson(userId: string): () => void
}

/** Is this person online? Watches them while mounted. */
export function useIsOnline(source: PresenceSource, userId: string): boolean {
  useEffect(() => source.watchPerson(userId), [source, userId])
  return useLivePart(source.presence, (presence) => presence.isOnline(userId))
}
