import * as z from 'zod/mini'

const timeOfDay = z.string().check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/))

/** When a person wants no notifications, each day, by the clock of their own time zone. */
export const quietHours = z.object({
  isOn: z.boolean(),
  from: timeOfDay,
  to: timeOfDay,
  /** An IANA name, such as `Europe/Berlin`; empty for UTC. */
  timeZone: z.string().check(z.maxLength(64)),
})
export type QuietHours = z.infer<typeof quietHours>

/** Until a person has chosen. */
export const noQuietHours: QuietHours = { isOn: false, from: '22:00', to: '07:00', timeZone: '' }

/** Is it a quiet time now? From and to the same time: all day. */
export function isQuietTime({ isOn, from, to, timeZone }: QuietHours, nowMs: number): boolean {
  if (!isOn) return false
  const now = readTimeOfDay(timeZone, nowMs)
  return from < to ? from <= now && now < to : now >= from || now < to
}

/** As `22:05`; by UTC where this machine does not know the time zone. */
function readTimeOfDay(timeZone: string, nowMs: number): string {
  const form = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  try {
    const zone = timeZone || 'UTC'
    return new Intl.DateTimeFormat('en-GB', { ...form, timeZone: zone }).format(nowMs)
  } catch {
    return new Date(nowMs).toISOString().slice(11, 16)
  }
}
