import {
  type ConversationDocument,
  type ConversationFlag,
  newConversation,
} from '../../../schema/conversation.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import { changeDocument, changeDocuments } from '../storage/change-document.ts'
import type { CommandContext, ConversationCollection } from '../storage/collections.ts'
import { findNewestMessage } from '../storage/find-newest-message.ts'
import { readDocuments } from '../storage/read-documents.ts'
import { fromStoredConversation } from '../storage/stored-conversation.ts'
import { failedTally, listTally, pendingTally } from '../storage/stored-message.ts'
import { discardMessage, laterThan } from './change-message.ts'

/** Changes one conversation on this device, creating it if missing. */
export async function changeConversation(
  conversations: ConversationCollection,
  peerId: string,
  change: (conversation: ConversationDocument) => ConversationDocument,
): Promise<void> {
  await changeConversations(conversations, [peerId], change)
}

/** The same for many conversations in one read and one write. */
export async function changeConversations(
  conversations: ConversationCollection,
  peerIds: readonly string[],
  change: (conversation: ConversationDocument) => ConversationDocument,
): Promise<void> {
  await changeDocuments(
    conversations,
    peerIds,
    (stored) => {
      const conversation = fromStoredConversation(stored)
      const next = change(conversation)
      return next === conversation ? stored : next
    },
    newConversation,
  )
}

/**
 * Ensures that the conversation of a message being sent exists before the server hears of it.
 * Leaves an existing one alone: the server names its newest message, so nothing is pushed for it.
 */
export async function beginConversation(
  conversations: ConversationCollection,
  message: MessageDocument,
): Promise<void> {
  await changeDocument(
    conversations,
    message.peerId,
    (stored) => stored,
    () => raiseLastMessage(newConversation(message.peerId), message),
  )
}

/** The conversation with this message as its newest, unless the message is older. */
export function raiseLastMessage(
  conversation: ConversationDocument,
  message: { _id: string; orderedAt: number },
): ConversationDocument {
  const { _id, orderedAt } = message
  const last = conversation.lastMessage
  if (last && (last.orderedAt > orderedAt || (last.orderedAt === orderedAt && last._id >= _id))) {
    return conversation
  }
  return {
    ...conversation,
    lastMessage: { _id, orderedAt },
    lastMessageAt: Math.max(conversation.lastMessageAt, orderedAt),
  }
}

/**
 * Hides a conversation's messages from this person, on all devices; the other person keeps them.
 * Discards what the other person does not have yet: sent later, it would begin the chat again.
 * @param upTo the last hidden place; by default everything present now
 */
export async function clearConversation(
  context: CommandContext,
  peerId: string,
  upTo?: number,
): Promise<void> {
  const place = upTo ?? (await findClearPlace(context, peerId))
  const { messages } = context.database
  const unsent = await Promise.all(
    [pendingTally, failedTally].map((one) => listTally(messages, one)),
  )
  for (const message of unsent.flat()) {
    if (message.peerId !== peerId || message.orderedAt > place) continue
    await discardMessage(context, message._id)
  }
  await changeConversation(context.database.conversations, peerId, (conversation) => {
    if (conversation.clearedUpTo >= place) return conversation
    // Sends no read receipt: what was never opened is unread.
    return { ...conversation, clearedUpTo: place }
  })
}

/** A conversation's last place now. */
export async function findClearPlace(
  { database }: CommandContext,
  peerId: string,
): Promise<number> {
  const newest = await findNewestMessage(database.messages, peerId)
  const found = await readDocuments(database.conversations, [peerId])
  return Math.max(newest?.orderedAt ?? 0, found.get(peerId)?.lastMessageAt ?? 0)
}

/** Pins or archives a conversation, or takes that back, at a time later than the flag's last change. */
export async function setConversationFlag(
  context: CommandContext,
  change: { peerId: string; flag: Exclude<ConversationFlag, 'isMuted'>; isSet: boolean },
): Promise<void> {
  const { database, now } = context
  const { peerId, flag, isSet } = change
  await changeConversation(database.conversations, peerId, (conversation) =>
    conversation[flag] === isSet
      ? conversation
      : {
          ...conversation,
          [flag]: isSet,
          [`${flag}At`]: laterThan(now(), conversation[`${flag}At`]),
        },
  )
}

/**
 * Mutes a conversation, or takes that back, at a time later than its last change.
 * @param change.until when it ends, epoch ms; without it, never
 */
export async function setMuted(
  context: CommandContext,
  change: { peerId: string; isMuted: boolean; until?: number | undefined },
): Promise<void> {
  const { database, now } = context
  const { peerId, isMuted } = change
  const until = isMuted ? change.until : undefined
  await changeConversation(database.conversations, peerId, (conversation) => {
    const { mutedUntil, isMutedAt, ...rest } = conversation
    if (rest.isMuted === isMuted && mutedUntil === until) return conversation
    return {
      ...rest,
      isMuted,
      isMutedAt: laterThan(now(), isMutedAt),
      ...(until !== undefined && { mutedUntil: until }),
    }
  })
}
