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
