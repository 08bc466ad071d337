import type { PushPayload } from '../../../schema/api/push.ts'
import type { OpenedMessage } from '../../encryption/sealed-message.ts'
import { describeMessage } from '../../ui/text/describe-message.ts'

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
  const { userId, peerId, name, isPreviewHidden } = payload
  const before = earlier?.messageIds ?? []
  const fresh = payload.messageIds.filter((id) => !before.includes(id))
  // A push may count more messages than it names.
  const unnamed = payload.count - payload.messageIds.length
  const count = (earlier?.count ?? 0) + fresh.length + unnamed
  const newest = messages.findLast(({ deletedAt }) => deletedAt === undefined)
  const words = newest ? describeOpened(newest) : payload.text
  const summary = count === 1 ? 'New message' : `${count} new messages`
  const preview = isPreviewHidden ? undefined : words?.slice(0, bodyMaxLength)
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
    },
  }
}

/** What is not open has no words, and is a new message all the same. */
function describeOpened(message: OpenedMessage): string | undefined {
  return message.locked === undefined ? describeMessage(message) : undefined
}
