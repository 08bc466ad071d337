import { formatClockTime, formatDate } from './format-clock-time.ts'

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

/** The time of a row in a list: HH:mm for today, else the day. Epoch ms. */
export function formatRowTime(time: number, today: number): string {
  return startOfDay(time) === today ? formatClockTime(time) : formatDay(time, today)
}
