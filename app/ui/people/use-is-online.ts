import { useEffect } from 'react'
import { type LiveSource, useLivePart } from '../hooks/use-live-value.ts'

/** Knows who is online, of those whom it is told to watch. */
export interface PresenceSource {
  presence: LiveSource<{ isOnline(userId: string): boolean }>
  /** @returns ends it */
  watchPerson(userId: string): () => void
}

/** Is this person online? Watches them while they are shown. */
export function useIsOnline(source: PresenceSource, userId: string): boolean {
  useEffect(() => source.watchPerson(userId), [source, userId])
  return useLivePart(source.presence, (presence) => presence.isOnline(userId))
}
