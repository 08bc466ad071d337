import type { PublicUser } from '../../../schema/user.ts'
import { formatLastSeen } from '../format/format-last-seen.ts'

/**
 * Words for somebody who is not known to be online now. None for a person whose record still says
 * that they are: its time is from before, and having none does not mean never.
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
