import * as z from 'zod/mini'
import { sealedReaction } from '../encryption/sealed-part.ts'
import { id } from '../id.ts'
import { type MessageDocument, messageDocument, messageStatuses } from '../message.ts'
import { storedLine } from './groups.ts'

const isoTime = z.iso.datetime()

/** One of the two people in a message; a deleted account is named "Deleted user". */
export const messageParty = z.object({
  _id: id,
  username: z.string(),
  profilePicture: z.nullable(z.string()),
  phone_number: z.optional(z.string()),
  wa_id: z.optional(z.string()),
  whatsapp_name: z.optional(z.string()),
})
export type MessageParty = z.infer<typeof messageParty>

/** What answers say in another form, or not at all. */
type Unshown =
  | '_id'
  | 'peerId'
  | 'senderId'
  | 'recipientId'
  | 'createdAt'
  | 'orderedAt'
  | 'attempt'
  | 'statusHistory'
  | 'editedAt'
  | 'deletedAt'
  | 'isStarredAt'
  | 'isHidden'
  | 'isHiddenAt'
  | 'reactions'
  | 'refused'
  | 'providerVersion'
  | 'mentionedIds'

/** What answers show of a stored message. */
export const shownFields = {
  type: true,
  content: true,
  sealed: true,
  mentions: true,
  status: true,
  isStarred: true,
  replyTo: true,
  mediaUrl: true,
  file: true,
  link: true,
  error: true,
  errorCode: true,
  isWhatsApp: true,
  whatsapp_message_id: true,
  whatsapp_timestamp: true,
  from_phone: true,
  to_phone: true,
  senderName: true,
  interactive: true,
  location: true,
  contacts: true,
  button: true,
  list_reply: true,
  template: true,
  media: true,
  waState: true,
  isSticker: true,
  isVoice: true,
  isForwarded: true,
  isSystem: true,
  sentFrom: true,
} as const satisfies Record<Exclude<keyof MessageDocument, Unshown>, true>

/**
 * A message in answers: from the caller's own copy, people in place of ids, ISO times.
 * To the caller a message is `read` once the caller's own mark has passed it.
 */
export const messageAnswer = z.extend(z.pick(messageDocument, shownFields), {
  _id: id,
  sender: messageParty,
  recipient: messageParty,
  createdAt: isoTime,
  orderedAt: isoTime,
  editedAt: z.optional(isoTime),
  deletedAt: z.optional(isoTime),
  /** Only where a group says what has changed in it; `sender` changed it. */
  line: z.optional(storedLine),
  /** The earliest first; omitted when there are none. With `sealed`, which has it, `emoji` is empty. */
  reactions: z.optional(
    z.array(
      z.object({
        userId: id,
        emoji: z.string(),
        sealed: z.optional(sealedReaction),
        reactedAt: isoTime,
      }),
    ),
  ),
})
export type MessageAnswer = z.infer<typeof messageAnswer>

/** A message's status. `timestamp`: since when, null when unknown. */
export const messageStatusAnswer = z.object({
  messageId: id,
  status: z.enum(messageStatuses),
  timestamp: z.nullable(isoTime),
  error: z.nullable(z.string()),
})
export type MessageStatusAnswer = z.infer<typeof messageStatusAnswer>

export const statusHistoryAnswer = z.object({
  messageId: id,
  status: z.enum(messageStatuses),
  history: z.array(z.object({ status: z.enum(messageStatuses), timestamp: isoTime })),
})
export type StatusHistoryAnswer = z.infer<typeof statusHistoryAnswer>
