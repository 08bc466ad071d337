import { must } from '../../../schema/helpers/assertions.ts'
import { idPattern } from '../../../schema/id.ts'
import { describeDeletedUser, type OwnUser, type PublicUser } from '../../../schema/user.ts'
import type { AccountDocument } from '../../access/account-documents.ts'
import type { Accounts } from '../../access/accounts.ts'
import type { Privacy } from '../../access/privacy.ts'
import type { Presence } from '../../realtime/presence.ts'
import type { Contacts } from '../../whatsapp/customers/contacts.ts'
import { presentContact } from '../../whatsapp/customers/present-contact.ts'
import { RequestRefused } from '../core/request-refused.ts'

export type UserPresenter = ReturnType<typeof createUserPresenter>

/** Builds the API's view of people: with what the viewer may see of each. */
export function createUserPresenter(options: {
  accounts: Accounts
  presence: Presence
  privacy: Pick<Privacy, 'readViews'>
  contacts: Pick<Contacts, 'findAll'>
  channelKind: 'live' | 'sandbox' | 'off'
  supportEmail: string | undefined
  encryption: 'on' | 'off'
  groups: 'on' | 'off'
  isAdmin: (userId: string) => Promise<boolean>
}) {
  const { accounts, presence, privacy, contacts, channelKind, supportEmail } = options

  /** Keeps the given order. */
  async function presentAll(
    viewerId: string,
    people: readonly AccountDocument[],
  ): Promise<PublicUser[]> {
    const userIds = people.map(({ userId }) => userId)
    const [views, lastSeen] = await Promise.all([
      privacy.readViews(viewerId, userIds),
      accounts.readLastSeen(userIds),
    ])
    return people.map((account) => {
      const { userId } = account
      const view = views.get(userId)
      const shown = presentUser(account, {
        isOnline: view?.online === true && presence.isOnline(userId),
        lastSeen: view?.lastSeen ? lastSeen.get(userId) : undefined,
      })
      return {
        ...shown,
        status: view?.about ? shown.status : '',
        profilePicture: view?.picture ? shown.profilePicture : null,
      }
    })
  }

  /**
   * People and the viewer's own contacts on a business channel, by id; the map omits unknown ids.
   */
  async function presentByIds(
    viewerId: string,
    ids: readonly string[],
  ): Promise<Map<string, PublicUser>> {
    const found = await accounts.findAll(ids)
    const others = ids.filter((one) => !found.has(one))
    const ofChannel = others.length > 0 ? await contacts.findAll(viewerId, others) : new Map()
    const shown = [
      ...(await presentAll(viewerId, [...found.values()])),
      ...[...ofChannel.values()].map(presentContact),
    ]
    return new Map(shown.map((user) => [user._id, user]))
  }

  return {
    presentAll,
    presentByIds,
    /** @throws RequestRefused `user_not_found`, also for an invalid id */
    async presentById(viewerId: string, userId: string): Promise<PublicUser> {
      const found = idPattern.test(userId) ? await presentByIds(viewerId, [userId]) : undefined
      const user = found?.get(userId)
      if (!user) throw new RequestRefused('user_not_found')
      return user
    },
    presentDeparted: describeDeletedUser,
    async presentOne(viewerId: string, account: AccountDocument): Promise<PublicUser> {
      const [user] = await presentAll(viewerId, [account])
      return must(user, 'a person who was presented')
    },
    async presentOwn(account: AccountDocument): Promise<OwnUser> {
      const { userId } = account
      const [lastSeenOf, isAdmin] = await Promise.all([
        accounts.readLastSeen([userId]),
        options.isAdmin(userId),
      ])
      const lastSeen = lastSeenOf.get(userId)
      const own = presentOwnUser(account, { isOnline: presence.isOnline(userId), lastSeen })
      const { encryption, groups } = options
      const server = { whatsapp_channel: channelKind, encryption, groups }
      return {
        ...own,
        ...server,
        ...(supportEmail && { supportEmail }),
        ...(isAdmin && { isAdmin }),
      }
    },
  }
}

/** @param lastSeen epoch ms; undefined for never, or for viewers who may not know */
function presentUser(
  account: AccountDocument,
  presence: { isOnline: boolean; lastSeen?: number },
): PublicUser {
  const { wa_id, phone_number, phone_number_id, whatsapp_name, profile, keys, formerKeys } = account
  const optional = {
    wa_id,
    phone_number,
    phone_number_id,
    whatsapp_name,
    profile,
    keys,
    formerKeys,
  }
  return {
    _id: account.userId,
    username: account.username,
    status: account.status,
    profilePicture: account.profilePicture,
    isOnline: presence.isOnline,
    lastSeen: presence.lastSeen === undefined ? null : new Date(presence.lastSeen).toISOString(),
    createdAt: new Date(account.createdAt).toISOString(),
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
    ...(phone_number !== undefined && { isPhoneProved: account.phoneProvedAt !== undefined }),
    whatsapp_connected: Boolean(wa_id || phone_number || phone_number_id),
  }
}

/** The private view of an account, with email and settings. */
function presentOwnUser(
  account: AccountDocument,
  presence: { isOnline: boolean; lastSeen?: number },
): OwnUser {
  const { email, settings, settingsAt, formerNames } = account
  return {
    ...presentUser(account, presence),
    email,
    settings,
    ...(settingsAt && { settingsAt }),
    ...(formerNames && { formerNames }),
  }
}
