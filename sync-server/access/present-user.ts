import type { OwnUser, PublicUser } from '../../schema/user.ts'
import type { AccountDocument } from './account-documents.ts'

/** @param lastSeen epoch ms; undefined for never, or for viewers who may not know */
export function presentUser(
  account: AccountDocument,
  presence: { isOnline: boolean; lastSeen?: number },
): PublicUser {
  const { wa_id, phone_number, phone_number_id, whatsapp_name, profile } = account
  const business = { wa_id, phone_number, phone_number_id, whatsapp_name, profile }
  return {
    _id: account.userId,
    username: account.username,
    status: account.status,
    profilePicture: account.profilePicture,
    isOnline: presence.isOnline,
    lastSeen: presence.lastSeen === undefined ? null : new Date(presence.lastSeen).toISOString(),
    createdAt: new Date(account.createdAt).toISOString(),
    ...Object.fromEntries(Object.entries(business).filter(([, value]) => value !== undefined)),
    whatsapp_connected: Boolean(wa_id || phone_number || phone_number_id),
  }
}

/** The private view of an account, with email and settings. */
export function presentOwnUser(
  account: AccountDocument,
  presence: { isOnline: boolean; lastSeen?: number },
): OwnUser {
  const { email, settings, settingsAt } = account
  return {
    ...presentUser(account, presence),
    email,
    settings,
    ...(settingsAt && { settingsAt }),
  }
}
