import { limits } from '../../../schema/limits.ts'

/** '99+' above 99. */
export function formatBadge(count: number): string {
  return count > limits.unreadBadgeMax ? `${limits.unreadBadgeMax}+` : String(count)
}
