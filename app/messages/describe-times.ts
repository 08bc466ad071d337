import { isAccepted, type MessageDocument } from '../../schema/message.ts'
import { formatClockTime } from '../ui/format/format-clock-time.ts'

const apartMs = 60_000

/**
 * The time of a message: when it was written; where it was sent over a minute later, both.
 * Until the server has taken it there is no second time to show.
 */
export function describeTimes(
  message: Pick<MessageDocument, 'createdAt' | 'orderedAt' | 'status'>,
): string {
  const written = formatClockTime(message.createdAt)
  const isLate = isAccepted(message) && message.orderedAt - message.createdAt > apartMs
  return isLate ? `written ${written} · sent ${formatClockTime(message.orderedAt)}` : written
}
