import { limits } from '../../../schema/limits.ts'

const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

/** '1.4 MB'; 'not known' for a size that the browser does not report. */
export function formatBytes(bytes: number | undefined): string {
  if (bytes === undefined) return 'not known'
  let value = bytes
  let unit = 0
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000
    unit += 1
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}

/** '99+' above 99. */
export function formatBadge(count: number): string {
  return count > limits.unreadBadgeMax ? `${limits.unreadBadgeMax}+` : String(count)
}
