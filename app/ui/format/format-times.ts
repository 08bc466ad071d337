/** Midnight before `time`, in the device's time zone. Epoch ms. */
export function startOfDay(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0)
}

/** The midnight after `time`, 23 to 25 hours from the one before. Epoch ms. */
export function startOfNextDay(time: number): number {
  return new Date(time).setHours(24, 0, 0, 0)
}

/** 'Today', 'Yesterday' or dd/MM/yyyy. `today`: the start of today. Epoch ms. */
export function formatDay(time: number, today: number): string {
  const day = startOfDay(time)
  if (day === today) return 'Today'
  if (day === startOfDay(today - 1)) return 'Yesterday'
  return formatDate(time)
}

const weekdays = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
] as const

/** The time of a row in a list: HH:mm for today, the weekday for the six days before, else the date. Epoch ms. */
export function formatRowTime(time: number, today: number): string {
  const day = startOfDay(time)
  if (day === today) return formatClockTime(time)
  const weekBefore = new Date(today).setDate(new Date(today).getDate() - 6)
  const isYesterday = day === startOfDay(today - 1)
  if (day > today || day < weekBefore || isYesterday) return formatDay(time, today)
  return weekdays[new Date(time).getDay()] ?? formatDay(time, today)
}

/** HH:mm, in the device's time zone. `time`: epoch ms. */
export function formatClockTime(time: number): string {
  const date = new Date(time)
  return `${pad(date.getHours())}:${pad(date.getMinutes())}`
}

/** dd/MM/yyyy, in the device's time zone. `time`: epoch ms. */
export function formatDate(time: number): string {
  const date = new Date(time)
  return `${pad(date.getDate())}/${pad(date.getMonth() + 1)}/${date.getFullYear()}`
}

function pad(value: number): string {
  return String(value).padStart(2, '0')
}

/** '1:07'; drops the fraction of a second. */
export function formatDuration(ms: number): string {
  const seconds = Math.floor(ms / 1_000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

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

/** How long a muted chat stays muted. Epoch ms; without an end, for good. */
export function formatMutedUntil(mutedUntil: number | undefined, today: number): string {
  if (mutedUntil === undefined) return 'Always'
  const day = formatDay(mutedUntil, today)
  const time = formatClockTime(mutedUntil)
  return day === 'Today' ? `Until ${time}` : `Until ${day} ${time}`
}
