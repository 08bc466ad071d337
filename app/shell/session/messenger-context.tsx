import { createContext, use, useMemo } from 'react'
import type { SecuritySectionProps } from '../../settings/security-section.tsx'
import type { Messenger } from '../../sync/messenger-types.ts'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { useServices, useSession } from './services-context.ts'

const MessengerContext = createContext<Messenger | undefined>(undefined)

export const MessengerProvider = MessengerContext.Provider

/** The signed-in person's messenger; only below `SignedInRoute`. */
export function useMessenger(): Messenger {
  const messenger = use(MessengerContext)
  if (!messenger) throw new Error('There is no MessengerProvider above this component.')
  return messenger
}

/** The person's signed-in devices, and how to end one. */
export function useSignIns(): SecuritySectionProps['signIns'] {
  const { own } = useServices()
  const { signIns, connection } = useMessenger()
  return useMemo(
    () => ({ ...signIns, connection, end: own.endSession, endOthers: own.endOtherSessions }),
    [signIns, connection, own],
  )
}

/** The person's keys on this device; undefined where the server takes no sealed messages. */
export function useKeyState() {
  const user = useSession()?.user
  const { number = 0, recoveryKey } = useLiveValue(useMessenger().keys)
  if (user?.encryption !== 'on') return undefined
  const isLocked = user.keys !== undefined && user.keys.number > number
  const state = isLocked ? 'locked' : number > 0 ? 'open' : 'none'
  return { state, recoveryKey } as const
}

/** What the person has to do about their keys, for a line that leads there. */
export function useKeyTask(): 'unlock' | 'keep' | undefined {
  const { state, recoveryKey } = useKeyState() ?? {}
  if (state === 'locked') return 'unlock'
  return state === 'open' && recoveryKey ? 'keep' : undefined
}
