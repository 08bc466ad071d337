import type { OwnUser } from '../../schema/user.ts'
import { formatLastSeen } from '../ui/format/format-last-seen.ts'

/**
 * 'Online', or when one was last seen; undefined while that is unknown: whoever reads it was there
 * before.
 * @param options.lastSyncedAt when this device last reached the server; epoch ms, as `now`
 */
export function describeOwnPresence(options: {
  user: Pick<OwnUser, 'lastSeen'>
  isOnline: boolean
  lastSyncedAt: number | undefined
  now: number
}): string | undefined {
  const { user, isOnline, lastSyncedAt, now } = options
  if (isOnline) return 'Online'
  const times = [user.lastSeen ? Date.parse(user.lastSeen) : undefined, lastSyncedAt]
  const known = times.filter((time) => time !== undefined)
  return known.length > 0 ? formatLastSeen(Math.max(...known), now) : undefined
}
