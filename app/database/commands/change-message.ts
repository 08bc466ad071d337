import { blankDeleted } from '../../../schema/blank-deleted.ts'
import { newConversation } from '../../../schema/conversation.ts'
import { lockOf } from '../../../schema/encryption/sealed-part.ts'
import { isBlank } from '../../../schema/helpers/text.ts'
import {
  isAccepted,
  isSticker,
  isUploadOwed,
  type MessageDocument,
} from '../../../schema/message.ts'
import { refuseText } from '../../../schema/permit-message-change.ts'
import { isReaction, react } from '../../../schema/reaction.ts'
import { changeDocument } from '../storage/change-document.ts'
import { type CommandContext, type MessageCollection, ownerOf } from '../storage/collections.ts'
import { readDocuments } from '../storage/read-documents.ts'
import { sealingOf } from '../storage/sealing.ts'
import { fromStoredMessage, toStoredMessage } from '../storage/stored-message.ts'
import { findMentioned, withMentions } from './find-mentioned.ts'
import type { ForwardedFile } from './send-message.ts'

/**
 * Changes one message on this device, and seals what this person wrote in the same step; returning
 * the input writes nothing. Ignores a missing message.
 */
export async function changeMessage(
  messages: MessageCollection,
  id: string,
  change: (message: MessageDocument) => MessageDocument,
): Promise<void> {
  const { seal } = sealingOf(messages)
  await changeDocument(messages, id, (stored) => {
    const message = fromStoredMessage(stored)
    const next = change(message)
    return next === message ? stored : toStoredMessage(seal(next, message), ownerOf(messages))
  })
}

/** A register's time for a change made now: later than the stored time, so that the change wins. */
export function laterThan(now: number, ...times: (number | undefined)[]): number {
  return Math.max(now, ...times.map((time) => (time ?? -1) + 1))
}

/**
 * Discards an own unsent or refused message; leaves a sent one alone.
 * @returns false if the server has accepted it
 */
export async function discardMessage(context: CommandContext, messageId: string): Promise<boolean> {
  let isSent = false
  await changeMessage(context.database.messages, messageId, (message) => {
    isSent = isAccepted(message)
    return message.senderId !== context.userId || isSent || message.deletedAt !== undefined
      ? message
      : blankDeleted({ ...message, deletedAt: context.now() })
  })
  return !isSent
}

/**
 * Deletes an own message for both people; its place stays, its words go. Discards an unsent one: no
 * screen shows it, and it never leaves the device.
 */
export async function deleteMessage(context: CommandContext, messageId: string): Promise<void> {
  await changeMessage(context.database.messages, messageId, (message) =>
    message.senderId !== context.userId || message.deletedAt !== undefined
      ? message
      : blankDeleted({ ...message, deletedAt: context.now() }),
  )
}

/** Dismisses the note about a refused change of this message. */
export async function dismissRefusal(context: CommandContext, messageId: string): Promise<void> {
  await changeMessage(context.database.messages, messageId, (message) =>
    message.refused && !message.refused.isDismissed
      ? { ...message, refused: { ...message.refused, isDismissed: true } }
      : message,
  )
}

/**
 * Replaces an own message's text. A pending message is sent with the new text; a refused one is
 * sent again with it. What is sealed and not open stays as it came.
 *
 * @throws with words for a person when the text is not a valid message
 */
export async function editMessage(
  context: CommandContext,
  edit: { messageId: string; content: string },
): Promise<void> {
  const { userId, database, now } = context
  const content = edit.content.trim()
  const [known] = (await readDocuments(database.messages, [edit.messageId])).values()
  const mentioned = known
    ? await findMentioned(context, { peerId: known.peerId, content, before: known.mentions })
    : []
  await changeMessage(database.messages, edit.messageId, (message) => {
    if (message.senderId !== userId || message.deletedAt !== undefined) return message
    // Nobody has seen what would be replaced.
    if (lockOf(message)) return message
    const refusal = refuseText({ ...message, content })
    if (refusal) throw new Error(refusal.error)
    if (content === message.content && message.status !== 'failed') return message
    const edited: MessageDocument = {
      ...withMentions(message, mentioned),
      content,
      editedAt: laterThan(now(), message.editedAt, message.refused?.at),
    }
    return message.status === 'failed' ? sendAgain(edited) : edited
  })
}

/** Sends a refused message again, under the same id and as a new attempt. */
export async function retryMessage(context: CommandContext, messageId: string): Promise<void> {
  await changeMessage(context.database.messages, messageId, (message) =>
    message.status === 'failed' &&
    message.deletedAt === undefined &&
    message.senderId === context.userId
      ? sendAgain(message)
      : message,
  )
}

/** A refused message's next attempt: a higher attempt outranks any outcome of the previous one. */
function sendAgain(message: MessageDocument): MessageDocument {
  const { error, errorCode, mediaUrl, ...rest } = message
  // The server no longer has this file: this device uploads it again.
  const isLost = errorCode === 'media_not_allowed' && message.file !== undefined
  const address = mediaUrl === undefined || isLost ? {} : { mediaUrl }
  return { ...rest, ...address, status: 'sending', attempt: message.attempt + 1 }
}

/** Sets this person's reaction to a message that both people have; empty removes it. */
export async function setReaction(
  { userId, database, now }: CommandContext,
  change: { messageId: string; emoji: string },
): Promise<void> {
  const { messageId, emoji } = change
  if (!isReaction(emoji)) return
  await changeMessage(database.messages, messageId, (message) => {
    const isThere = (message.reactions?.[userId]?.emoji ?? '') === emoji
    return isThere || message.deletedAt !== undefined || !isAccepted(message)
      ? message
      : react(message, { userId, emoji, now: now() })
  })
}

/** Stars or unstars a message in this person's copy only. */
export async function setStarred(
  context: CommandContext,
  change: { messageId: string; isStarred: boolean },
): Promise<void> {
  const { database, now } = context
  const { messageId, isStarred } = change
  const star = (message: MessageDocument) =>
    message.isStarred === isStarred || message.deletedAt !== undefined
      ? message
      : { ...message, isStarred, isStarredAt: laterThan(now(), message.isStarredAt) }
  const stored = (await readDocuments(database.messages, [messageId])).get(messageId)
  if (stored && database.groups.has(stored.peerId)) await noteStar(context, star(stored))
  await changeMessage(database.messages, messageId, star)
}

/**
 * A group's message goes to all, so its star goes with this person's own conversation. First: from
 * there every device takes it, this one too if it ends in between.
 */
async function noteStar(
  { database }: CommandContext,
  { _id, peerId, isStarred, isStarredAt: at }: MessageDocument,
): Promise<void> {
  await changeDocument(
    database.conversations,
    peerId,
    (conversation) =>
      (conversation.stars?.[_id]?.at ?? -1) >= at
        ? conversation
        : { ...conversation, stars: { ...conversation.stars, [_id]: { isStarred, at } } },
    () => newConversation(peerId),
  )
}

/** Hides a message from this person alone, on all their devices, or brings it back. */
export async function setHidden(
  context: CommandContext,
  change: { messageId: string; isHidden: boolean },
): Promise<void> {
  const { database, now } = context
  const { messageId, isHidden } = change
  const hide = (message: MessageDocument) =>
    (message.isHidden ?? false) === isHidden || !isAccepted(message)
      ? message
      : { ...message, isHidden, isHiddenAt: laterThan(now(), message.isHiddenAt) }
  const stored = (await readDocuments(database.messages, [messageId])).get(messageId)
  if (stored && database.groups.has(stored.peerId)) await noteHidden(context, hide(stored))
  await changeMessage(database.messages, messageId, hide)
}

/** As a star is noted. */
async function noteHidden(
  { database }: CommandContext,
  { _id, peerId, isHidden, isHiddenAt: at }: MessageDocument,
): Promise<void> {
  if (isHidden === undefined || at === undefined) return
  await changeDocument(
    database.conversations,
    peerId,
    (conversation) =>
      (conversation.hidden?.[_id]?.at ?? -1) >= at
        ? conversation
        : { ...conversation, hidden: { ...conversation.hidden, [_id]: { isHidden, at } } },
    () => newConversation(peerId),
  )
}

/** Is there something to forward? What is sealed and not open has nothing; a file that is not uploaded yet is on its author's device only. */
export function canForward(message: MessageDocument): boolean {
  if (message.deletedAt !== undefined || isUploadOwed(message) || lockOf(message)) return false
  return pickFile(message) !== undefined || !isBlank(message.content)
}

/** The messages that can be forwarded, oldest first. */
export function listForwardable(messages: readonly MessageDocument[]): MessageDocument[] {
  return messages.filter(canForward).toSorted((a, b) => a.orderedAt - b.orderedAt)
}

/** A template and an interactive message belong to the business channel: their text is forwarded. */
export function pickFile(message: MessageDocument): ForwardedFile | undefined {
  const { type, mediaUrl, file } = message
  const isOfChannel = type === 'template' || type === 'interactive'
  if (mediaUrl === undefined || isOfChannel) return undefined
  const sticker = isSticker(message) && { isSticker: true }
  return { type, mediaUrl, ...(file && { file: { ...file, ...sticker } }) }
}
