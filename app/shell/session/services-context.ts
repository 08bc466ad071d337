import { createContext, use, useSyncExternalStore } from 'react'
import type { SignedIn } from '../../../schema/api/auth.ts'
import type { Api } from '../../api/api.ts'
import type { SessionStore } from '../../api/session-store.ts'
import type { AppUpdate } from '../../offline/app-update.ts'
import type { InstallOffer } from '../../offline/install-prompt.ts'
import type { AccountAccess } from '../../sync/keys/account-access.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import type { NotificationChoice } from '../notifications/notification-choice.ts'
import type { PushStatus } from '../notifications/push-state.ts'
import type { EncryptionClaim } from './encryption-claim.ts'

/** The services that the screens use. Rejections carry words for a person. */
export interface Services {
  sessions: SessionStore
  /** What takes the person's password, which the server is never told. */
  access: AccountAccess
  /** Asks for a link by mail; no answer tells whether an account has the address. */
  forgotPassword: Api['auth']['forgotPassword']
  /** What the server says of itself, and whether screens may speak of encryption. */
  encryption: Omit<EncryptionClaim, 'close'>
  /** Signing in a new device by a code that a signed-in one scans. */
  linking: Api['linking']
  /** Ends a sign-in that came along with something else. */
  endSignIn: Api['auth']['endSignIn']
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
  /** Administration, for admins. */
  admin: Api['admin']
  /** The business channel's calls. */
  whatsApp: Api['whatsApp']
  /** What the page behind an address says of itself. */
  previewLink: Api['messages']['previewLink']
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

/** The person signed in on this device, if any. */
export function useSession(): SignedIn | undefined {
  const { sessions } = useServices()
  return useSyncExternalStore(sessions.subscribe, sessions.get)
}
