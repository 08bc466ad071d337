import { formatClockTime, formatDate } from './format-clock-time.ts'
import { startOfDay } from './format-day.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Last-seen words. `lastSeen`, `now`: epoch ms. Source: decision 61, section 9, time display. */
export function formatLastSeen(lastSeen: number | undefined, now: number): string {
  if (lastSeen === undefined) return 'Never'
  const age = now - lastSeen
  if (age < minuteMs) return 'just now'
  if (age < hourMs) return countAgo(Math.floor(age / minuteMs), 'minute')
  if (age < 24 * hourMs) return countAgo(Math.floor(age / hourMs), 'hour')
  const today = startOfDay(now)
  if (startOfDay(lastSeen) === today) return `today at ${formatClockTime(lastSeen)}`
  if (startOfDay(lastSeen) === startOfDay(today - 1)) {
    return `yesterday at ${formatClockTime(lastSeen)}`
  }
  return `${formatDate(lastSeen)} ${formatClockTime(lastSeen)}`
}

function countAgo(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'} ago`
}
