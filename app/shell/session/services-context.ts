import { createContext, use } from 'react'
import type { Login, Registration, SignedIn } from '../../../schema/api/auth.ts'
import type { Api } from '../../api/api.ts'
import type { SessionStore } from '../../api/session-store.ts'
import type { AppUpdate } from '../../offline/app-update.ts'
import type { InstallOffer } from '../../offline/install-prompt.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import type { NotificationChoice } from '../notifications/notification-choice.ts'

/** What the screens ask of the world outside them. Rejections carry words for a person. */
export interface Services {
  sessions: SessionStore
  signIn(given: Login): Promise<SignedIn>
  register(given: Registration): Promise<SignedIn>
  /** Opens what this person has on the device. */
  openMessenger(userId: string): Promise<Messenger>
  /**
   * Ends the session at once, here and on the server if it can be reached. This person's data goes off the device
   * as soon as every tab lets go of it, at the next start at the latest.
   */
  signOut(messenger: Messenger): void
  /** One's own record and sign-ins. */
  own: Api['own']
  /** The person of a whole phone number; undefined for nobody. */
  findByPhone: Api['users']['findByPhone']
  /** The business channel's calls. */
  whatsApp: Api['whatsApp']
  /** The server's search, for what has not arrived on this device. */
  searchMessages: Api['messages']['search']
  notifications: NotificationChoice
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
