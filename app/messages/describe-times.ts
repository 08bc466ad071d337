import { isAccepted, type MessageDocument } from '../../schema/message.ts'
import { formatClockTime } from '../ui/format/format-clock-time.ts'

const apartMs = 60_000

/**
 * A message's time: when it was written; also when it was sent, if over a minute later. A pending
 * message has no second time.
 */
export function describeTimes(
  message: Pick<MessageDocument, 'createdAt' | 'orderedAt' | 'status'>,
): string {
  const written = formatClockTime(message.createdAt)
  const isLate = isAccepted(message) && message.orderedAt - message.createdAt > apartMs
  return isLate ? `written ${written} · sent ${formatClockTime(message.orderedAt)}` : written
}
