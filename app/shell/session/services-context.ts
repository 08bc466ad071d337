import { createContext, use } from 'react'
import type { Login, Registration, SignedIn } from '../../../schema/api/auth.ts'
import type { Api } from '../../api/api.ts'
import type { SessionStore } from '../../api/session-store.ts'
import type { AppUpdate } from '../../offline/app-update.ts'
import type { InstallOffer } from '../../offline/install-prompt.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import type { NotificationChoice } from '../notifications/notification-choice.ts'
import type { PushStatus } from '../notifications/push-state.ts'

/** The services that the screens use. Rejections carry words for a person. */
export interface Services {
  sessions: SessionStore
  signIn(given: Login): Promise<SignedIn>
  register(given: Registration): Promise<SignedIn>
  /** Signing in a new device by a code that a signed-in one scans. */
  linking: Api['linking']
  /** Opens this person's data on the device. */
  openMessenger(userId: string): Promise<Messenger>
  /**
   * Ends the session immediately, here and, if reachable, on the server. Removes this person's data
   * from the device once every tab releases it, at the latest at the next start.
   */
  signOut(messenger: Messenger): void
  /** The signed-in person's record and sessions. */
  own: Api['own']
  /** Finds a person by a whole phone number; undefined if there is none. */
  findByPhone: Api['users']['findByPhone']
  /** The business channel's calls. */
  whatsApp: Api['whatsApp']
  /** The server's search, for messages that are not on this device. */
  searchMessages: Api['messages']['search']
  notifications: NotificationChoice
  /** Whether notifications come while the app is closed. */
  push: Omit<PushStatus, 'set'>
  update: AppUpdate
  installOffer: InstallOffer
}

const ServicesContext = createContext<Services | undefined>(undefined)
export const ServicesProvider = ServicesContext.Provider

export function useServices(): Services {
  const services = use(ServicesContext)
  if (!services) throw new Error('There is no ServicesProvider above this component.')
  return services
}
