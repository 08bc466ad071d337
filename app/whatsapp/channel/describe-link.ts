import type { Channel } from './channel.ts'

/** The link's state in words; never claims a connection that the server does not have. */
export function describeLink({ isLinked, isOff }: Pick<Channel, 'isLinked' | 'isOff'>): string {
  if (!isLinked) return 'Not connected'
  return isOff ? 'Saved, not connected' : 'Connected'
}
