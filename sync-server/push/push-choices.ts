import * as z from 'zod/mini'
import { noQuietHours, quietHours } from '../../schema/quiet-hours.ts'

/** What of a person's settings concerns pushes; what is missing or unreadable as at the beginning. */
export function readPushChoices(settings: unknown) {
  const given = typeof settings === 'object' && settings !== null ? settings : {}
  const read = z.object({
    notificationPreview: z.catch(z.enum(['shown', 'hidden']), 'shown'),
    notificationSound: z.catch(z.boolean(), true),
    quietHours: z.catch(quietHours, noQuietHours),
  })
  return read.parse({
    notificationPreview: Reflect.get(given, 'notificationPreview'),
    notificationSound: Reflect.get(given, 'notificationSound'),
    quietHours: Reflect.get(given, 'quietHours'),
  })
}
