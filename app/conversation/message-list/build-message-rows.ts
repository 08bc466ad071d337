import { isAccepted, type MessageDocument } from '../../../schema/message.ts'
import { formatDay, startOfDay } from '../../ui/format/format-day.ts'

export interface MessageRow {
  message: MessageDocument
  /** The start of its day, epoch ms. */
  day: number
  /** The date header above it, on the first message of a day. */
  dayLabel?: string
  isFirstUnread: boolean
  /** Does another author, another day or the unread line stand before it? */
  startsGroup: boolean
}

interface RowOptions {
  firstUnreadId: string | undefined
  /** The start of today, epoch ms. */
  today: number
}

/** The messages of a window, oldest first, as they are drawn: under date headers, in groups of one author. */
export function buildMessageRows(
  messages: readonly MessageDocument[],
  { firstUnreadId, today }: RowOptions,
): MessageRow[] {
  const before: { day?: number; senderId?: string } = {}
  return messages.map((message) => {
    const own = startOfDay(placeInTime(message))
    // What waits stands below what came in meanwhile, also on a later day.
    const day = isAccepted(message) ? own : Math.max(own, before.day ?? own)
    const startsDay = day !== before.day
    const isFirstUnread = message._id === firstUnreadId
    const startsGroup = startsDay || isFirstUnread || message.senderId !== before.senderId
    before.day = day
    before.senderId = message.senderId
    const row: MessageRow = { message, day, isFirstUnread, startsGroup }
    if (startsDay) row.dayLabel = formatDay(day, today)
    return row
  })
}

/** The time that decides a message's day. A waiting one is ordered right after what was seen, so it counts as written. */
function placeInTime(message: MessageDocument): number {
  return isAccepted(message) ? message.orderedAt : Math.max(message.createdAt, message.orderedAt)
}
