import { areConversationsEqual, type ConversationDocument } from '../../../schema/conversation.ts'
import { areMessagesEqual } from '../../../schema/merge-messages.ts'
import { type MessageDocument, placeInTime } from '../../../schema/message.ts'
import type { KnownPeer } from '../storage/known-peer.ts'
import { showMessage } from './message-values.ts'

/** One row of the conversation list, joined from the device's data. */
export interface ConversationRow {
  peerId: string
  /** Absent until the record of the person or the group has been read once. */
  peer?: KnownPeer
  /** The name that the business channel last told of them. */
  customerName?: string
  isPinned: boolean
  isArchived: boolean
  /** At this moment: a muting with an end is over once it has passed. */
  isMuted: boolean
  /** When the muting ends, epoch ms; absent while it does not end by itself. */
  mutedUntil?: number
  unreadCount: number
  /** In a group: the unread messages that mention this person, oldest first. */
  mentions?: readonly MessageDocument[]
  /** Is there an unsent own message that its author has not dealt with yet? */
  hasFailed: boolean
  lastMessage?: MessageDocument
  /** Is there a newest message that has not arrived on this device, or is still to be read there? */
  isComing: boolean
  /** Epoch ms; 0 for a conversation without messages. */
  lastMessageAt: number
}

/** A row's inputs, kept beside it to detect changes. */
export interface RowParts {
  conversation: ConversationDocument
  peer: KnownPeer | undefined
  lastMessage: MessageDocument | undefined
  unreadCount: number
  mentions: readonly MessageDocument[]
  hasFailed: boolean
  /** At the time of reading. */
  isMuted: boolean
  /** Its messages are still to be read. */
  isAwaited?: true
}

export function areRowPartsEqual(a: RowParts, b: RowParts): boolean {
  return (
    a.peer === b.peer &&
    a.unreadCount === b.unreadCount &&
    a.mentions.length === b.mentions.length &&
    a.mentions.every((one, at) => areMessagesEqual(one, b.mentions[at] ?? {})) &&
    a.hasFailed === b.hasFailed &&
    a.isMuted === b.isMuted &&
    a.isAwaited === b.isAwaited &&
    areConversationsEqual(a.conversation, b.conversation) &&
    (a.lastMessage === b.lastMessage ||
      (a.lastMessage !== undefined &&
        b.lastMessage !== undefined &&
        areMessagesEqual(a.lastMessage, b.lastMessage)))
  )
}

export function makeRow(parts: RowParts, ownerId: string): ConversationRow {
  const { conversation, peer, lastMessage, unreadCount, mentions, hasFailed, isMuted, isAwaited } =
    parts
  const { _id, isPinned, isArchived, mutedUntil, lastMessageAt, contacts } = conversation
  const customerName = contacts?.[0]?.profile.name
  return {
    peerId: _id,
    ...(peer && { peer }),
    ...(customerName !== undefined && { customerName }),
    isPinned,
    isArchived,
    isMuted,
    ...(isMuted && mutedUntil !== undefined && { mutedUntil }),
    unreadCount,
    ...(mentions.length > 0 && { mentions }),
    hasFailed,
    ...(lastMessage && { lastMessage: showMessage(lastMessage, conversation, ownerId) }),
    isComing: lastMessage === undefined && (isAwaited || conversation.lastMessage !== undefined),
    lastMessageAt: lastMessage ? placeInTime(lastMessage) : lastMessageAt,
  }
}

/** A cleared conversation reappears with its next message. */
export function isRowShown({ conversation, lastMessage }: RowParts): boolean {
  return lastMessage !== undefined || conversation.clearedUpTo === 0
}

export function compareRows(a: ConversationRow, b: ConversationRow): number {
  return (
    Number(b.isPinned) - Number(a.isPinned) ||
    b.lastMessageAt - a.lastMessageAt ||
    (a.peerId < b.peerId ? -1 : 1)
  )
}
