import { useLivePart } from '../../ui/hooks/use-live-value.ts'
import { useMessenger } from '../session/messenger-context.tsx'

/** Does the server no longer serve this version of the app? */
export function useIsOutdated(): boolean {
  return useLivePart(useMessenger().connection, ({ state }) => state === 'outdated')
}
