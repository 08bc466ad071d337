import { formatClockTime } from './format-clock-time.ts'
import { formatDay } from './format-day.ts'

/** How long a muted chat stays muted. Epoch ms; without an end, for good. */
export function formatMutedUntil(mutedUntil: number | undefined, today: number): string {
  if (mutedUntil === undefined) return 'Always'
  const day = formatDay(mutedUntil, today)
  const time = formatClockTime(mutedUntil)
  return day === 'Today' ? `Until ${time}` : `Until ${day} ${time}`
}
