import { createContext, use } from 'react'
import type { Messenger } from '../../sync/messenger-types.ts'

const MessengerContext = createContext<Messenger | undefined>(undefined)
export const MessengerProvider = MessengerContext.Provider

/** The signed-in person's messenger; only below `SignedInRoute`. */
export function useMessenger(): Messenger {
  const messenger = use(MessengerContext)
  if (!messenger) throw new Error('There is no MessengerProvider above this component.')
  return messenger
}
