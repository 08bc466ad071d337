import * as z from 'zod/mini'
import { conversationDocument } from '../conversation.ts'
import { id } from '../id.ts'
import { publicUser } from '../user.ts'
import { messageAnswer, messageParty } from './message-answer.ts'

const isoTime = z.iso.datetime()
const count = z.number().check(z.int(), z.gte(0))

/**
 * A conversation in answers; `_id` is the other person's, or the group's. `unreadCount` is counted
 * from the caller's mark, up to `limits.unreadCountMax`, in a group up to
 * `limits.groups.unreadCountMax`. `lastMessage` is null when nothing is left to show.
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
  isGroup: z.boolean(),
  /** Only for a group that the caller is in now; `user` then stands for the group, too. */
  groupName: z.optional(z.string()),
  groupAvatar: z.optional(z.string()),
  /** Its first members, at most `limits.groups.membersListed`, and how many there are. */
  groupMembers: z.optional(z.array(messageParty)),
  groupMemberCount: z.optional(count),
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
