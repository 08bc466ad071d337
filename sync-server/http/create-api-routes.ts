import type { Accounts } from '../access/create-accounts.ts'
import type { LimitAttempts } from '../access/create-attempt-limiter.ts'
import type { Departures } from '../access/create-departures.ts'
import type { Directory } from '../access/create-directory.ts'
import type { PasswordHasher } from '../access/create-password-hasher.ts'
import type { Relations } from '../access/create-relations.ts'
import { createReports } from '../access/create-reports.ts'
import type { Sessions } from '../access/create-sessions.ts'
import type { TokenKeeper } from '../access/create-token-keeper.ts'
import type { Budget } from '../budget/budget.ts'
import type { MessageRate } from '../budget/message-rate.ts'
import type { StorageQuota } from '../budget/storage-quota.ts'
import type { Log } from '../create-log.ts'
import type { Acceptance } from '../messages/acceptance.ts'
import type { Presence } from '../realtime/create-presence.ts'
import type { Storage } from '../storage/create-storage.ts'
import type { Contacts } from '../whatsapp/contacts.ts'
import type { Channel } from '../whatsapp/create-channel.ts'
import { createAuthRoutes } from './auth/create-auth-routes.ts'
import { createPasswordCheck } from './auth/create-password-check.ts'
import { createSignIn } from './auth/create-sign-in.ts'
import { createContactRoutes } from './channel/create-contact-routes.ts'
import { createWebhookRoutes } from './channel/create-webhook-routes.ts'
import type { Media } from './media/create-media.ts'
import { createMediaRoutes } from './media/create-media-routes.ts'
import { createPictureRoutes } from './media/create-picture-routes.ts'
import { createPieceRoutes } from './media/create-piece-routes.ts'
import { createUploadReceiver } from './media/create-upload-receiver.ts'
import { createMissingUploads } from './media/find-missing-uploads.ts'
import { createUploadPlaces } from './media/upload-places.ts'
import { createConversationPresenter } from './messages/create-conversation-presenter.ts'
import { createConversationRoutes } from './messages/create-conversation-routes.ts'
import { createHistory } from './messages/create-history.ts'
import { createMessageListRoutes } from './messages/create-message-list-routes.ts'
import {
  createMessagePresenter,
  type MessagePresenter,
} from './messages/create-message-presenter.ts'
import { createMessageRoutes } from './messages/create-message-routes.ts'
import { createMessageWriter } from './messages/create-message-writer.ts'
import {
  createOwnConversations,
  type OwnConversations,
} from './messages/create-own-conversations.ts'
import { createOwnMessages, type OwnMessages } from './messages/create-own-messages.ts'
import { createSendingRoutes } from './messages/create-sending-routes.ts'
import { createStatusRoutes } from './messages/create-status-routes.ts'
import type { Route } from './route.ts'
import { createAccountRoutes } from './users/create-account-routes.ts'
import { createBlockRoutes } from './users/create-block-routes.ts'
import { createLookupLimit } from './users/create-lookup-limit.ts'
import { createOwnRoutes } from './users/create-own-routes.ts'
import { createPhoneRoutes } from './users/create-phone-routes.ts'
import { createSessionRoutes } from './users/create-session-routes.ts'
import { createUsageRoute } from './users/create-usage-route.ts'
import { createUserPresenter, type UserPresenter } from './users/create-user-presenter.ts'
import { createUserRoutes } from './users/create-user-routes.ts'
import { createWhatsAppRoutes } from './users/create-whatsapp-routes.ts'
import { exportAccount } from './users/export-account.ts'

interface Options {
  storage: Storage
  accounts: Accounts
  sessions: Sessions
  relations: Relations
  departures: Departures
  tokens: TokenKeeper
  hasher: PasswordHasher
  directory: Directory
  presence: Presence
  acceptance: Pick<Acceptance, 'acceptMessages' | 'acceptConversations' | 'journal' | 'digests'>
  media: Media
  budget: Pick<Budget, 'reads' | 'scans' | 'uploads'>
  quota: StorageQuota
  rate: MessageRate
  uploadLimitBytes: number
  limitAttempts: LimitAttempts
  contacts: Contacts
  channel: Channel | undefined
  log: Log
}

/** Every call under `/api`. */
export function createApiRoutes(options: Options): Route[] {
  const { storage, accounts, acceptance, directory, presence, budget } = options
  const { contacts, channel } = options
  const { reads, scans } = budget
  const { acceptMessages, acceptConversations, journal, digests } = acceptance
  const users = createUserPresenter({
    accounts,
    presence,
    directory,
    contacts,
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
  const presenter = createMessagePresenter({ accounts, contacts, storage })
  const shown = { users, messagePresenter: presenter, messages, journal, digests }
  return [
    ...createSignInRoutes({ ...options, users }),
    ...createPeopleRoutes({ ...options, users, messages, conversations, presenter }),
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
  ]
}

function createPeopleRoutes(
  options: Options & {
    users: UserPresenter
    messages: OwnMessages
    conversations: OwnConversations
    presenter: MessagePresenter
  },
): Route[] {
  const { storage, accounts, sessions, relations, departures, directory, presence } = options
  const { users: presenter, messages, conversations, limitAttempts, log, quota, rate } = options
  const { contacts, channel } = options
  const reports = createReports({ storage })
  const lookups = createLookupLimit({ limitAttempts })
  const kept = { sessions, relations, reports, messages, conversations }
  return [
    ...createAccountRoutes({
      accounts,
      departures,
      presenter,
      exportAccount: (own, signal) =>
        exportAccount({ ...kept, ...own, signal, presenter: options.presenter }),
    }),
    ...createOwnRoutes({ accounts, presence, presenter, lookups, channel }),
    createUsageRoute({ quota, rate }),
    ...createWhatsAppRoutes({ accounts, lookups, channel }),
    ...createBlockRoutes({ relations, reports, presenter, channel, log }),
    ...createPhoneRoutes({ directory, presenter, lookups, channel }),
    ...createUserRoutes({ directory, presenter, contacts }),
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
