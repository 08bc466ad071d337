import { isAccepted, type MessageDocument } from '../../schema/message.ts'
import { formatClockTime, formatDate } from '../ui/format/format-clock-time.ts'
import { startOfDay } from '../ui/format/format-day.ts'

const apartMs = 60_000

/**
 * A message's time: when it was written; also when it was sent, if over a minute later. It is under
 * the date of sending: an earlier day is named. A pending message has no second time.
 */
export function describeTimes(
  message: Pick<MessageDocument, 'createdAt' | 'orderedAt' | 'status'>,
): string {
  const written = formatClockTime(message.createdAt)
  const isLate = isAccepted(message) && message.orderedAt - message.createdAt > apartMs
  if (!isLate) return written
  const isSameDay = startOfDay(message.createdAt) === startOfDay(message.orderedAt)
  const day = isSameDay ? '' : `${formatDate(message.createdAt)} `
  return `written ${day}${written} · sent ${formatClockTime(message.orderedAt)}`
}
