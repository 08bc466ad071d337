import type { PublicUser } from './user.ts'

/** The name shown for a deleted account. */
export const deletedUserName = 'Deleted user'

/** A deleted account, as others still see it on its messages. */
export function describeDeletedUser(userId: string): PublicUser {
  return {
    _id: userId,
    username: deletedUserName,
    status: '',
    profilePicture: null,
    isOnline: false,
    lastSeen: null,
    createdAt: new Date(Math.min(readIdTime(userId), Date.now())).toISOString(),
    whatsapp_connected: false,
  }
}

/** A person's id is a UUIDv7: its first 48 bits are its creation time, epoch ms. */
function readIdTime(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
}
