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
  const { username, email, status, profilePicture, phone_number } = change
  const { phone_number: known, ...rest } = user
  const phone = phone_number === undefined ? known : (phone_number ?? undefined)
  return {
    ...rest,
    ...(phone !== undefined && { phone_number: phone }),
    ...(username !== undefined && { username }),
    ...(email !== undefined && { email }),
    ...(status !== undefined && { status }),
    ...(profilePicture !== undefined && { profilePicture }),
  }
}

/**
 * The picture that waits for the network, after all that wait before it. Null: it is taken away.
 */
export function findWaitingPicture(entries: readonly RequestEntry[]): Blob | null | undefined {
  let picture: Blob | null | undefined
  for (const { request, state } of entries) {
    if (state !== 'waiting') continue
    if (request.kind === 'picture') picture = request.picture
    if (request.kind === 'profile' && request.change.profilePicture === null) picture = null
  }
  return picture
}
