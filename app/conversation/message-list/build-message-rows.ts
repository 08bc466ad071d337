import { isAccepted, type MessageDocument, placeInTime } from '../../../schema/message.ts'
import { formatDay, startOfDay } from '../../ui/format/format-day.ts'

export interface MessageRow {
  message: MessageDocument
  /** The start of the message's day, epoch ms. */
  day: number
  /** The date header above it, for the first message of a day. */
  dayLabel?: string
  isFirstUnread: boolean
  /** Is the previous row of another author or day, or the unread line? */
  startsGroup: boolean
}

interface RowOptions {
  firstUnreadId: string | undefined
  /** The start of today, epoch ms. */
  today: number
}

/** The rows of a window's messages, oldest first: under date headers, in groups of one author. */
export function buildMessageRows(
  messages: readonly MessageDocument[],
  { firstUnreadId, today }: RowOptions,
): MessageRow[] {
  const before: { day?: number; senderId?: string } = {}
  return messages.map((message) => {
    const own = startOfDay(placeInTime(message))
    // A pending message is below those that arrived meanwhile, even on a later day.
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
