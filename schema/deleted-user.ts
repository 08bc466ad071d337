import type { PublicUser } from './user.ts'

/** How a person is named who is not here any more. */
export const deletedUserName = 'Deleted user'

/** Somebody who is not here any more, as others still see them in what was said. */
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

/** A person's id is a UUIDv7: its first 48 bits are when it was made, in epoch ms. */
function readIdTime(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
}
