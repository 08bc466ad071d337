import type { PushPayload } from '../../../schema/api/push.ts'
import { isMentioned } from '../../../schema/helpers/mentions.ts'
import type { OpenedMessage } from '../../encryption/sealed-message.ts'
import { describeNews } from '../../ui/text/describe-message.ts'

const bodyMaxLength = 200
const idsMax = 50

/** What a notification carries for its click and its actions. */
export interface NotificationData {
  path: string
  peerId: string
  userId: string
  /** All messages that it stands for. */
  messageIds: string[]
  count: number
  /** The place of the newest; undefined when neither the push nor the server said it. */
  upTo?: number | undefined
  isGroup?: boolean
}

export interface Described {
  title: string
  body: string
  data: NotificationData
  /** Does it say more than the one it replaces? Only then it may make a sound. */
  isNews: boolean
}

/** The one notification of a chat: with what the earlier one, still shown, already counted. */
export function describeNotification(options: {
  payload: PushPayload
  messages: readonly OpenedMessage[]
  earlier: NotificationData | undefined
  /** Up to where the chat is read: what the earlier one counted below is over. */
  seenUpTo?: number
}): Described {
  const { payload, messages, seenUpTo = 0 } = options
  const isOver = options.earlier?.upTo !== undefined && options.earlier.upTo <= seenUpTo
  const earlier = isOver ? undefined : options.earlier
  const { userId, peerId, name, isPreviewHidden, isGroup, author } = payload
  const before = earlier?.messageIds ?? []
  const fresh = payload.messageIds.filter((id) => !before.includes(id))
  // A push may count more messages than it names.
  const unnamed = payload.count - payload.messageIds.length
  const count = (earlier?.count ?? 0) + fresh.length + unnamed
  const newest = messages.findLast(({ deletedAt }) => deletedAt === undefined)
  const words = newest ? describeOpened(newest) : payload.text
  const summary = count === 1 ? 'New message' : `${count} new messages`
  // Which of the members wrote it.
  const isNamed = author !== undefined && words !== undefined
  const said = isNamed ? `${introduce(newest, { author, userId })}${words}` : words
  const preview = isPreviewHidden ? undefined : said?.slice(0, bodyMaxLength)
  const body = preview && count > 1 ? `${summary}\n${preview}` : (preview ?? summary)
  const places = messages.map(({ orderedAt }) => orderedAt)
  const upTo = Math.max(earlier?.upTo ?? 0, payload.upTo ?? 0, ...places) || undefined
  return {
    title: name,
    body,
    isNews: fresh.length > 0 || unnamed > 0,
    data: {
      path: `/chat/${peerId}`,
      peerId,
      userId,
      messageIds: [...before, ...fresh].slice(-idsMax),
      count,
      upTo,
      ...(isGroup && { isGroup }),
    },
  }
}

/** Who of a group wrote a message, before its words. */
export function introduce(
  message: OpenedMessage | undefined,
  { author, userId }: { author: string; userId: string },
): string {
  return message && isMentioned(message, userId) ? `${author} mentioned you: ` : `${author}: `
}

/** What is not open has no words, and is a new message all the same. */
function describeOpened(message: OpenedMessage): string | undefined {
  return message.locked === undefined ? describeNews(message) : undefined
}
