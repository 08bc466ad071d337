import { useSyncExternalStore } from 'react'
import type { SignedIn } from '../../../schema/api/auth.ts'
import { useServices } from './services-context.ts'

/** The person signed in on this device, if any. */
export function useSession(): SignedIn | undefined {
  const { sessions } = useServices()
  return useSyncExternalStore(sessions.subscribe, sessions.get)
}
