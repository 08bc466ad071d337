import type { AccountDeletion } from '../access/account-deletion.ts'
import type { Accounts } from '../access/accounts.ts'
import type { LimitAttempts } from '../access/attempt-limiter.ts'
import type { Directory } from '../access/directory/directory.ts'
import type { DeviceLinks } from '../access/linking/device-links.ts'
import type { PasswordHasher } from '../access/passwords/password-hasher.ts'
import type { Privacy } from '../access/privacy/privacy.ts'
import type { Relations } from '../access/relations.ts'
import type { Reports } from '../access/reports.ts'
import type { Sessions } from '../access/sessions.ts'
import type { TokenKeeper } from '../access/token-keeper.ts'
import type { Budget } from '../budget/budget.ts'
import type { MessageRate } from '../budget/message-rate.ts'
import type { StorageQuota } from '../budget/storage-quota.ts'
import type { Log } from '../lib/log.ts'
import type { Media } from '../media/media.ts'
import { createMissingUploads } from '../media/missing-uploads.ts'
import type { Acceptance } from '../messages/acceptance.ts'
import type { Push } from '../push/push.ts'
import type { Connections } from '../realtime/connections/connections.ts'
import type { Presence } from '../realtime/presence/presence.ts'
import type { Storage } from '../storage/storage.ts'
import type { Channel } from '../whatsapp/channel.ts'
import type { Contacts } from '../whatsapp/customers/contacts.ts'
import { createAccountRoutes } from './account/account-routes.ts'
import { exportAccount } from './account/export-account.ts'
import { createUsageRoute } from './account/usage-route.ts'
import { createAuthRoutes } from './auth/auth-routes.ts'
import { createEmailRoute } from './auth/email-route.ts'
import { createPasswordCheck } from './auth/password-check.ts'
import { createSessionRoutes } from './auth/session-routes.ts'
import { createSignIn } from './auth/sign-in.ts'
import { createContactRoutes } from './channel/contact-routes.ts'
import { createWebhookRoutes } from './channel/webhook-routes.ts'
import type { Route } from './core/route.ts'
import { createLinkLimits } from './linking/link-limits.ts'
import { createNewDeviceRoutes } from './linking/new-device-routes.ts'
import { createScannedDeviceRoutes } from './linking/scanned-device-routes.ts'
import { createMediaRoutes } from './media/media-routes.ts'
import { createPictureRoutes } from './media/picture-routes.ts'
import { createPieceRoutes } from './media/piece-routes.ts'
import { createUploadPlaces } from './media/upload-places.ts'
import { createUploadReceiver } from './media/upload-receiver.ts'
import { createConversationPresenter } from './messages/conversation-presenter.ts'
import { createConversationRoutes } from './messages/conversation-routes.ts'
import { createHistory } from './messages/history.ts'
import { createMessageListRoutes } from './messages/message-list-routes.ts'
import { createMessagePresenter, type MessagePresenter } from './messages/message-presenter.ts'
import { createMessageRoutes } from './messages/message-routes.ts'
import { createMessageWriter } from './messages/message-writer.ts'
import { createOwnConversations, type OwnConversations } from './messages/own-conversations.ts'
import { createOwnMessages, type OwnMessages } from './messages/own-messages.ts'
import { createSendingRoutes } from './messages/sending-routes.ts'
import { createStatusRoutes } from './messages/status-routes.ts'
import { createBlockRoutes } from './users/block-routes.ts'
import { createLookupLimit, type LookupLimit } from './users/lookup-limit.ts'
import { createOwnRoutes } from './users/own-routes.ts'
import { createPhoneRoutes } from './users/phone-routes.ts'
import { createPushRoutes } from './users/push-routes.ts'
import { createReportLimit } from './users/report-limit.ts'
import { createUserPresenter, type UserPresenter } from './users/user-presenter.ts'
import { createUserRoutes } from './users/user-routes.ts'
import { createWhatsAppRoutes } from './users/whatsapp-routes.ts'

interface Options {
  storage: Storage
  accounts: Accounts
  sessions: Sessions
  relations: Relations
  reports: Reports
  accountDeletion: AccountDeletion
  deviceLinks: DeviceLinks
  publicUrl: string | undefined
  tokens: TokenKeeper
  hasher: PasswordHasher
  directory: Directory
  privacy: Privacy
  presence: Presence
  acceptance: Pick<Acceptance, 'acceptMessages' | 'acceptConversations' | 'journal' | 'digests'>
  media: Media
  budget: Pick<Budget, 'reads' | 'scans' | 'uploads'>
  quota: StorageQuota
  rate: MessageRate
  uploadLimitBytes: number
  supportEmail: string | undefined
  limitAttempts: LimitAttempts
  contacts: Contacts
  channel: Channel | undefined
  push: Push
  connections: Pick<Connections, 'tell'>
  log: Log
}

/** Every call under `/api`. */
export function createApiRoutes(options: Options): Route[] {
  const { storage, accounts, acceptance, privacy, presence, budget } = options
  const { contacts, channel } = options
  const { reads, scans } = budget
  const { acceptMessages, acceptConversations, journal, digests } = acceptance
  const users = createUserPresenter({
    accounts,
    presence,
    privacy,
    contacts,
    supportEmail: options.supportEmail,
    channelKind: channel === undefined ? 'off' : channel.isSandbox ? 'sandbox' : 'live',
  })
  const messages = createOwnMessages({ storage, scans })
  const conversations = createOwnConversations({
    storage,
    accounts,
    contacts,
    acceptConversations,
  })
  const history = createHistory({ messages, journal, scans })
  const writer = createMessageWriter({ messages, acceptMessages })
  const lookups = createLookupLimit(options)
  const presenter = createMessagePresenter({ accounts, contacts, storage, privacy })
  const shown = { users, messagePresenter: presenter, messages, journal, digests }
  return [
    ...createSignInRoutes({ ...options, users }),
    ...createPeopleRoutes({ ...options, users, messages, conversations, presenter, lookups }),
    ...createMediaAndPictureRoutes(options),
    ...createConversationRoutes({
      conversations,
      messages,
      digests,
      scans,
      presenter: createConversationPresenter(shown),
    }),
    ...createMessageListRoutes({
      accounts,
      channel,
      messages,
      conversations,
      history,
      presenter,
      digests,
      lookups,
      reads,
      scans,
    }),
    ...createStatusRoutes({ messages, conversations, presenter }),
    ...createSendingRoutes({ messages, writer, presenter, rate: options.rate, channel }),
    ...createMessageRoutes({ writer, presenter }),
    ...createContactRoutes({ channel }),
    ...createWebhookRoutes({ channel, presenter }),
  ]
}

function createSignInRoutes(options: Options & { users: UserPresenter }): Route[] {
  const { accounts, sessions, tokens, hasher, users: presenter, limitAttempts } = options
  const { deviceLinks, publicUrl } = options
  const linkLimits = createLinkLimits({ limitAttempts })
  const signIn = createSignIn({ sessions, tokens, presenter })
  const checkPassword = createPasswordCheck({ hasher, limitAttempts })
  return [
    ...createAuthRoutes({
      accounts,
      hasher,
      sessions,
      signIn,
      checkPassword,
      limitAttempts,
      completeness: options.acceptance.digests.completeness,
    }),
    ...createSessionRoutes({ accounts, hasher, sessions, checkPassword }),
    createEmailRoute({ accounts, presenter, checkPassword }),
    ...createNewDeviceRoutes({
      deviceLinks,
      linkLimits,
      accounts,
      sessions,
      signIn,
      publicUrl,
    }),
    ...createScannedDeviceRoutes({ deviceLinks, linkLimits, accounts }),
  ]
}

function createPeopleRoutes(
  options: Options & {
    users: UserPresenter
    messages: OwnMessages
    conversations: OwnConversations
    presenter: MessagePresenter
    lookups: LookupLimit
  },
): Route[] {
  const { accounts, sessions, relations, accountDeletion, directory, presence } = options
  const { users: presenter, messages, conversations, limitAttempts, log, quota, rate } = options
  const { contacts, channel, lookups, reports } = options
  const kept = { sessions, relations, reports, messages, conversations }
  return [
    ...createAccountRoutes({
      accounts,
      accountDeletion,
      presenter,
      exportAccount: (own, signal) =>
        exportAccount({ ...kept, ...own, signal, presenter: options.presenter }),
    }),
    ...createOwnRoutes({
      accounts,
      presence,
      presenter,
      lookups,
      channel,
      onSettings(userId, changed) {
        options.privacy.handleChanged(userId, Object.keys(changed.settings))
        options.connections.tell(userId, { event: 'settings-changed', data: changed })
      },
    }),
    createUsageRoute({ quota, rate }),
    ...createPushRoutes(options),
    ...createWhatsAppRoutes({ accounts, lookups, channel }),
    ...createBlockRoutes({
      relations,
      reports,
      reportLimit: createReportLimit({ limitAttempts }),
      presenter,
      channel,
      log,
      // To the person's own devices alone: the other one learns of no block.
      onBlocked: (userId, data) =>
        options.connections.tell(userId, { event: 'block-changed', data }),
    }),
    ...createPhoneRoutes({ directory, presenter, lookups, channel }),
    ...createUserRoutes({ directory, presenter, contacts, lookups }),
  ]
}

function createMediaAndPictureRoutes(options: Options): Route[] {
  const { media, accounts, budget, quota, uploadLimitBytes: limitBytes } = options
  const findMissing = createMissingUploads(options)
  const places = createUploadPlaces({ uploads: budget.uploads })
  const receiveUpload = createUploadReceiver({ media, quota, places })
  return [
    ...createPictureRoutes({ media, accounts, receiveUpload }),
    ...createMediaRoutes({ media, receiveUpload, findMissing, limitBytes }),
    ...createPieceRoutes({ media, places, quota, limitBytes }),
  ]
}
