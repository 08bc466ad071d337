import { emailChange } from '../../schema/api/auth.ts'
import { usage } from '../../schema/api/usage.ts'
import { limits } from '../../schema/limits.ts'
import { uploadedPicture } from '../../schema/media.ts'
import { ownUser } from '../../schema/user.ts'
import type { AccountDeletion } from '../access/account-deletion.ts'
import type { PersonExport } from '../access/account-documents.ts'
import type { Accounts } from '../access/accounts.ts'
import type { LimitAttempts } from '../access/attempt-limiter.ts'
import type { DeviceLinks } from '../access/device-links.ts'
import type { Directory } from '../access/directory.ts'
import type { PasswordDerivations } from '../access/password-derivations.ts'
import type { PasswordHasher } from '../access/password-hasher.ts'
import type { PasswordResets } from '../access/password-resets.ts'
import type { Privacy } from '../access/privacy.ts'
import type { Relations } from '../access/relations.ts'
import type { Reports } from '../access/reports.ts'
import type { Sessions } from '../access/sessions.ts'
import type { TokenKeeper } from '../access/token-keeper.ts'
import type { Mailer } from '../admin/mailer.ts'
import type { Budget } from '../budget/budget.ts'
import type { MessageRate } from '../budget/message-rate.ts'
import type { StorageQuota } from '../budget/storage-quota.ts'
import type { Groups } from '../groups/groups.ts'
import type { Log } from '../lib/log.ts'
import type { LinkPreviews } from '../links/link-previews.ts'
import type { Media } from '../media/media.ts'
import { nameMediaUrl } from '../media/media-documents.ts'
import { createMissingUploads } from '../media/missing-uploads.ts'
import type { Acceptance } from '../messages/message-acceptance.ts'
import type { Push } from '../push/web-push.ts'
import type { Connections } from '../realtime/connections.ts'
import type { Presence } from '../realtime/presence.ts'
import type { Storage } from '../storage/storage.ts'
import type { Channel } from '../whatsapp/channel.ts'
import type { Contacts } from '../whatsapp/customers/contacts.ts'
import { createAccountRoutes, exportAccount } from './auth/account-routes.ts'
import { type Admission, createAuthRoutes } from './auth/auth-routes.ts'
import { withDepartureSignal } from './auth/departure-signal.ts'
import { createForgottenPasswordRoute } from './auth/forgotten-passwords.ts'
import { createKeyRoutes } from './auth/key-routes.ts'
import { createLinkLimits } from './auth/link-limits.ts'
import { createNewDeviceRoutes } from './auth/new-device-routes.ts'
import { createPasswordCheck, type PasswordCheck } from './auth/password-check.ts'
import { createScannedDeviceRoutes } from './auth/scanned-device-routes.ts'
import { createSessionRoutes } from './auth/session-routes.ts'
import { createSignIn } from './auth/sign-in.ts'
import { createContactRoutes } from './contact-routes.ts'
import { RequestRefused } from './core/request-refused.ts'
import { alreadySent, defineRoute, type Route } from './core/route.ts'
import { createGroupInviteRoutes } from './group-invite-routes.ts'
import { createGroupRoutes } from './group-routes.ts'
import { createLinkRoutes } from './media/link-routes.ts'
import { createMediaRoutes } from './media/media-routes.ts'
import { createPieceRoutes } from './media/piece-routes.ts'
import { createUploadPlaces, type UploadPlaces } from './media/upload-places.ts'
import {
  createUploadReceiver,
  pictureErrors,
  type ReceiveUpload,
  requirePicture,
} from './media/upload-receiver.ts'
import { createConversationPresenter } from './messages/conversation-presenter.ts'
import { createConversationRoutes } from './messages/conversation-routes.ts'
import { createGroupCalls } from './messages/group-calls.ts'
import { createHistory } from './messages/history.ts'
import { createMessageListRoutes } from './messages/message-list-routes.ts'
import { createMessagePresenter } from './messages/message-presenter.ts'
import { createMessageRoutes } from './messages/message-routes.ts'
import { createMessageWriter } from './messages/message-writer.ts'
import { createOwnConversations } from './messages/own-conversations.ts'
import { createOwnMessages } from './messages/own-messages.ts'
import { createSendingRoutes } from './messages/sending-routes.ts'
import { createStatusRoutes } from './messages/status-routes.ts'
import { createBlockRoutes } from './users/block-routes.ts'
import { findAccount, refuseTaken } from './users/find-account.ts'
import { createLookupLimit, createReportLimit, type LookupLimit } from './users/lookup-limit.ts'
import { createOwnRoutes } from './users/own-routes.ts'
import { createPhoneRoutes } from './users/phone-routes.ts'
import { createPushRoutes } from './users/push-routes.ts'
import { createUserPresenter, type UserPresenter } from './users/user-presenter.ts'
import { createUserRoutes } from './users/user-routes.ts'
import { createWhatsAppRoutes } from './users/whatsapp-routes.ts'
import { createWebhookRoutes } from './webhook-routes.ts'

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
  derivations: PasswordDerivations
  directory: Directory
  privacy: Privacy
  presence: Presence
  acceptance: Pick<Acceptance, 'acceptMessages' | 'acceptConversations' | 'journal' | 'digests'>
  media: Media
  budget: Pick<Budget, 'reads' | 'scans' | 'forwards' | 'uploads' | 'links'>
  linkPreviews: LinkPreviews
  quota: StorageQuota
  rate: MessageRate
  uploadLimitBytes: number
  supportEmail: string | undefined
  isAdmin: (userId: string) => Promise<boolean>
  encryption: 'on' | 'off'
  limitAttempts: LimitAttempts
  contacts: Contacts
  channel: Channel | undefined
  push: Push
  connections: Pick<Connections, 'tell'>
  log: Log
  admission: Admission
  resets: PasswordResets
  mailer: Mailer | undefined
  /** Undefined while there are none. */
  groups: Groups | undefined
}

/** Every call under `/api`, and a person's export for who runs the server. */
export function createApiRoutes(options: Options): {
  routes: Route[]
  exportPerson: PersonExport
} {
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
    isAdmin: options.isAdmin,
    encryption: options.encryption,
    groups: options.groups ? 'on' : 'off',
    channelKind: channel === undefined ? 'off' : channel.isSandbox ? 'sandbox' : 'live',
  })
  const messages = createOwnMessages({ storage, scans })
  const conversations = createOwnConversations({
    storage,
    accounts,
    contacts,
    groups: options.groups,
    acceptConversations,
  })
  const history = createHistory({ messages, journal, scans })
  const writer = createMessageWriter({ messages, acceptMessages })
  const lookups = createLookupLimit(options)
  const checkPassword = createPasswordCheck(options)
  const presenter = createMessagePresenter({ accounts, contacts, storage, privacy })
  const groups = options.groups && createGroupCalls({ groups: options.groups, presenter })
  const shown = { users, messagePresenter: presenter, messages, journal, digests, groups }
  const { sessions, relations, reports } = options
  const kept = { sessions, relations, reports, messages, conversations, presenter, groups, scans }
  const exportPerson: PersonExport = (account, signal) =>
    exportAccount({ ...kept, account, users, signal })
  const places = createUploadPlaces({ uploads: budget.uploads })
  const receiveUpload = createUploadReceiver({ media: options.media, quota: options.quota, places })
  const routes = [
    ...createSignInRoutes({ ...options, users, checkPassword }),
    ...createPeopleRoutes({
      ...options,
      users,
      exportPerson,
      lookups,
      checkPassword,
    }),
    ...createMediaAndPictureRoutes({ ...options, places, receiveUpload }),
    ...createLinkRoutes({ ...options, links: budget.links }),
    ...createConversationRoutes({
      conversations,
      messages,
      digests,
      scans,
      groups,
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
      groups,
    }),
    ...(options.groups
      ? [
          ...createGroupInviteRoutes({ groups: options.groups, publicUrl: options.publicUrl }),
          ...createGroupRoutes({ groups: options.groups, media: options.media, receiveUpload }),
        ]
      : []),
    ...createStatusRoutes({ messages, conversations, presenter }),
    ...createSendingRoutes({
      messages,
      writer,
      presenter,
      rate: options.rate,
      forwards: budget.forwards,
      channel,
      groups,
    }),
    ...createMessageRoutes({ writer, presenter }),
    ...createContactRoutes({ channel }),
    ...createWebhookRoutes({ channel, presenter }),
  ]
  return { routes, exportPerson }
}

function createSignInRoutes(
  options: Options & { users: UserPresenter; checkPassword: PasswordCheck },
): Route[] {
  const { accounts, sessions, tokens, hasher, users: presenter, limitAttempts } = options
  const { deviceLinks, publicUrl, checkPassword, derivations } = options
  const linkLimits = createLinkLimits({ limitAttempts })
  const signIn = createSignIn({ sessions, tokens, presenter })
  return [
    ...createAuthRoutes({
      accounts,
      hasher,
      derivations,
      sessions,
      signIn,
      checkPassword,
      limitAttempts,
      completeness: options.acceptance.digests.completeness,
      admission: options.admission,
      resets: options.resets,
      hasMail: options.mailer !== undefined,
      encryption: options.encryption,
    }),
    createForgottenPasswordRoute({
      mailer: options.mailer,
      accounts,
      resets: options.resets,
      limitAttempts,
      url: publicUrl ?? '',
      onError: (error) => options.log.error({ err: error }, 'a forgotten password'),
    }),
    ...createSessionRoutes({ accounts, hasher, derivations, sessions, checkPassword }),
    createEmailRoute({ accounts, presenter, checkPassword }),
    ...createKeyRoutes({ accounts, presenter, checkPassword, encryption: options.encryption }),
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
    exportPerson: PersonExport
    lookups: LookupLimit
    checkPassword: PasswordCheck
  },
): Route[] {
  const { accounts, relations, accountDeletion, directory, presence } = options
  const { users: presenter, limitAttempts, log, quota, rate } = options
  const { contacts, channel, lookups, reports } = options
  return [
    ...createAccountRoutes({
      accounts,
      accountDeletion,
      checkPassword: options.checkPassword,
      exportPerson: options.exportPerson,
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

function createMediaAndPictureRoutes(
  options: Options & { places: UploadPlaces; receiveUpload: ReceiveUpload },
): Route[] {
  const { media, accounts, quota, places, receiveUpload, uploadLimitBytes: limitBytes } = options
  const findMissing = createMissingUploads(options)
  return [
    ...createPictureRoutes({ media, accounts, receiveUpload }),
    ...createMediaRoutes({ media, receiveUpload, findMissing, limitBytes }),
    ...createPieceRoutes({ media, places, quota, limitBytes }),
  ]
}

/** How much a person has stored, and their quota. */
function createUsageRoute(options: {
  quota: Pick<StorageQuota, 'of' | 'read'>
  rate: Pick<MessageRate, 'perMinute' | 'describe'>
}): Route {
  const { quota, rate } = options
  return defineRoute({
    method: 'get',
    path: '/users/me/usage',
    access: 'signed-in',
    summary:
      'What your messages and files take on the server, what they may take, and how many messages a minute you may send.',
    status: 200,
    answer: usage,
    async handle({ caller: { userId }, response }) {
      const { messages, files } = await quota.read(userId)
      response.set(rate.describe(userId))
      return {
        messageBytes: messages,
        fileBytes: files,
        quotaBytes: (await quota.of(userId)) || null,
        messagesPerMinute: rate.perMinute || null,
      }
    },
  })
}

/** Changes the email that signs a person in; a stolen session alone cannot. */
function createEmailRoute(options: {
  accounts: Accounts
  presenter: UserPresenter
  checkPassword: PasswordCheck
}): Route {
  const { accounts, presenter, checkPassword } = options
  return defineRoute({
    method: 'put',
    path: '/users/email',
    access: 'signed-in',
    summary: 'Changes your email, with your password. The old one no longer signs you in.',
    body: emailChange,
    status: 200,
    answer: ownUser,
    errors: [
      ...(['wrong_password', 'too_many_attempts', 'email_taken', 'user_not_found'] as const),
      'account_changed',
    ],
    async handle({ caller: { userId }, body, address, response }) {
      const { email, ...shown } = body
      const account = await findAccount(accounts, userId)
      const isRight = await withDepartureSignal(response, (gone) =>
        checkPassword({ account, name: userId, shown, address, gone }),
      )
      if (isRight === alreadySent) return alreadySent
      if (!isRight) throw new RequestRefused('wrong_password')
      const verified = account.passwordChanges
      const outcome = await accounts.changeEmail(userId, { email, verified })
      if (outcome.kind === 'missing') throw new RequestRefused('wrong_password')
      if (outcome.kind !== 'done') throw refuseTaken(outcome)
      return await presenter.presentOwn(outcome.account)
    },
  })
}

/** A person's own profile picture. */
function createPictureRoutes(options: {
  media: Media
  accounts: Accounts
  receiveUpload: ReceiveUpload
}): Route[] {
  const { media, accounts, receiveUpload } = options
  return [
    defineRoute({
      method: 'put',
      path: '/users/profile/picture',
      access: 'signed-in',
      summary:
        'Replaces your picture (multipart/form-data, part `profilePicture`: JPEG, PNG or WebP, 5 MB).',
      status: 200,
      filePart: 'profilePicture',
      answer: uploadedPicture,
      errors: ['account_changed', ...pictureErrors],
      async handle({ caller: { userId }, request }) {
        const file = await receiveUpload({
          request,
          fieldName: 'profilePicture',
          ownerId: userId,
          purpose: 'picture',
          limitBytes: limits.pictureInputMaxBytes,
          check: requirePicture,
        })
        if (!file) throw new RequestRefused('picture_required')
        const profilePicture = nameMediaUrl(file.mediaId)
        const outcome = await accounts.changeProfile(userId, { profilePicture })
        if (outcome.kind !== 'done') {
          await media.remove(file.mediaId)
          throw refuseTaken(outcome)
        }
        await media.settlePictures(userId)
        return { profilePicture }
      },
    }),
  ]
}
