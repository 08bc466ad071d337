import type { PublicUser } from '../../../schema/user.ts'
import { formatLastSeen } from '../format/format-last-seen.ts'

/**
 * Empty while the record still says online: its `lastSeen` is out of date, and an absent one does
 * not mean never.
 * @param now epoch ms
 */
export function describeLastSeen(
  person: Pick<PublicUser, 'isOnline' | 'lastSeen'>,
  now: number,
): string {
  if (person.isOnline) return ''
  const lastSeen = person.lastSeen ? Date.parse(person.lastSeen) : undefined
  return `last seen ${formatLastSeen(lastSeen, now)}`
}
