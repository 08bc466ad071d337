import { areConversationsEqual, type ConversationDocument } from '../../../schema/conversation.ts'
import { areMessagesEqual } from '../../../schema/merge-messages.ts'
import { isAccepted, type MessageDocument } from '../../../schema/message.ts'
import type { KnownPerson } from '../storage/known-person.ts'
import { showMessage } from './show-message.ts'

/** One line of the list of conversations, joined from what is on the device. */
export interface ConversationRow {
  peerId: string
  /** Absent until the person's record has been read once. */
  peer?: KnownPerson
  isPinned: boolean
  isArchived: boolean
  isMuted: boolean
  unreadCount: number
  /** Is there an own message that was not sent, and that its author has not settled yet? */
  hasFailed: boolean
  lastMessage?: MessageDocument
  /** Epoch ms; 0 for a conversation without messages. */
  lastMessageAt: number
}

/** What a row is made of; kept beside it, to know whether it has changed. */
export interface RowParts {
  conversation: ConversationDocument
  peer: KnownPerson | undefined
  lastMessage: MessageDocument | undefined
  unreadCount: number
  hasFailed: boolean
}

export function areRowPartsEqual(a: RowParts, b: RowParts): boolean {
  return (
    a.peer === b.peer &&
    a.unreadCount === b.unreadCount &&
    a.hasFailed === b.hasFailed &&
    areConversationsEqual(a.conversation, b.conversation) &&
    (a.lastMessage === b.lastMessage ||
      (a.lastMessage !== undefined &&
        b.lastMessage !== undefined &&
        areMessagesEqual(a.lastMessage, b.lastMessage)))
  )
}

export function makeRow({
  conversation,
  peer,
  lastMessage,
  unreadCount,
  hasFailed,
}: RowParts): ConversationRow {
  const { _id, isPinned, isArchived, isMuted, lastMessageAt } = conversation
  return {
    peerId: _id,
    ...(peer && { peer }),
    isPinned,
    isArchived,
    isMuted,
    unreadCount,
    hasFailed,
    ...(lastMessage && { lastMessage: showMessage(lastMessage, conversation) }),
    lastMessageAt: lastMessage ? timeOf(lastMessage) : lastMessageAt,
  }
}

/** Until the server has given it a place, a message stands where it was written. */
function timeOf(message: MessageDocument): number {
  return isAccepted(message) ? message.orderedAt : Math.max(message.createdAt, message.orderedAt)
}

/** A conversation that was cleared comes back with its next message. */
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
