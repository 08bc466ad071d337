import type { OwnUser, PublicUser } from '../../schema/user.ts'
import type { AccountDocument } from './account-documents.ts'

/** @param lastSeen epoch ms; undefined for never, or for viewers who may not know */
export function presentUser(
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
export function presentOwnUser(
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
