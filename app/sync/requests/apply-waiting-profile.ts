import type { OwnUser, ProfileChange } from '../../../schema/user.ts'
import type { RequestEntry } from '../../database/storage/queued-request.ts'

/** One's own record with all waiting changes applied, except refused ones. */
export function applyWaitingProfile(user: OwnUser, entries: readonly RequestEntry[]): OwnUser {
  let shown = user
  for (const { request, state } of entries) {
    if (state === 'waiting' && request.kind === 'profile') shown = apply(shown, request.change)
  }
  return shown
}

function apply(user: OwnUser, change: ProfileChange): OwnUser {
  const { username, email, status, profilePicture } = change
  return {
    ...user,
    ...(username !== undefined && { username }),
    ...(email !== undefined && { email }),
    ...(status !== undefined && { status }),
    ...(profilePicture !== undefined && { profilePicture }),
  }
}
