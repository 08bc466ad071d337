import * as z from 'zod/mini'
import { conversationDocument } from '../conversation.ts'
import { id } from '../id.ts'
import { publicUser } from '../user.ts'
import { messageAnswer } from './message-answer.ts'

const isoTime = z.iso.datetime()
const count = z.number().check(z.int(), z.gte(0))

/**
 * A conversation in answers; `_id` is the other person's. `unreadCount` is counted from the
 * caller's mark, up to `limits.unreadCountMax`. `lastMessage` is null when nothing is left to show.
 */
export const conversationAnswer = z.object({
  _id: id,
  currentUserId: id,
  user: publicUser,
  isOnline: z.boolean(),
  lastMessage: z.nullable(messageAnswer),
  lastMessageAt: z.nullable(isoTime),
  unreadCount: count,
  isArchived: z.boolean(),
  isPinned: z.boolean(),
  isMuted: z.boolean(),
  /** When the muting ends; absent while it does not end by itself. */
  mutedUntil: z.optional(isoTime),
  isGroup: z.literal(false),
  /** Only for a conversation over a business channel. */
  ...z.pick(conversationDocument, {
    whatsapp_conversation_id: true,
    phone_number_id: true,
    display_phone_number: true,
    contacts: true,
  }).shape,
})
export type ConversationAnswer = z.infer<typeof conversationAnswer>

/** Counts for one conversation; deleted messages count only in `total`, `sent` and `received`. */
export const conversationStats = z.object({
  total: count,
  sent: count,
  received: count,
  unread: count,
  starred: count,
  media: count,
  firstMessageAt: z.nullable(isoTime),
  lastMessageAt: z.nullable(isoTime),
})
export type ConversationStats = z.infer<typeof conversationStats>
