import { cutText } from './cut-text.ts'
import { isBlank } from './helpers/is-blank.ts'
import { limits } from './limits.ts'
import { mergeMessages } from './merge-messages.ts'
import { isAccepted, type MessageDocument } from './message.ts'
import { isLaterReaction, isReaction, type Reaction, type Reactions } from './reaction.ts'
import { type Refusal, refuse } from './refusal.ts'
import { statusRank } from './status-rank.ts'

export interface PermittedChange {
  /** The stored version with every permitted change, and a note of what was refused. */
  next: MessageDocument
  refusal?: Refusal
  /** The person retries a refused message: the rule treats it as a new one. */
  isRetry: boolean
}

/**
 * What a proposal may change in a stored message (P4): its reader the star and their own reaction;
 * its author also the text and the deletion, and the retry of a refused one. A device applies the
 * same function to the server's version, so both sides agree and no push repeats for ever.
 *
 * `now`: the server's time in epoch ms; times from a device are clamped to it.
 */
export function permitMessageChange(change: {
  actorId: string
  stored: MessageDocument
  proposed: MessageDocument
  now: number
}): PermittedChange {
  const { actorId, stored, now } = change
  const proposed = clampTimes(change.proposed, now)
  const isAuthor = stored.senderId === actorId
  const isRetry =
    isAuthor &&
    stored.status === 'failed' &&
    stored.deletedAt === undefined &&
    proposed.deletedAt === undefined &&
    proposed.status === 'sending' &&
    proposed.attempt > stored.attempt
  const refusal = findRefusal({ actorId, stored, proposed, isAuthor, isRetry })
  const allowed = restrict({ actorId, stored, proposed, isAuthor, isRetry, refusal })
  const merged = mergeMessages(stored, allowed)
  return {
    next: refusal ? recordRefusal({ actorId, merged, stored, proposed, refusal }) : merged,
    refusal,
    isRetry,
  }
}

function findRefusal(change: {
  actorId: string
  stored: MessageDocument
  proposed: MessageDocument
  isAuthor: boolean
  isRetry: boolean
}): Refusal | undefined {
  const { actorId, stored, proposed, isAuthor, isRetry } = change
  if (
    proposed.senderId !== stored.senderId ||
    proposed.recipientId !== stored.recipientId ||
    proposed.peerId !== stored.peerId
  ) {
    return refuse('foreign_id')
  }
  if (isTextChange(stored, proposed)) {
    if (!isAuthor) return refuse('not_author')
    if (stored.deletedAt !== undefined) return refuse('deleted')
    // A message that has reached a phone outside this app cannot be changed there.
    if (stored.isWhatsApp && isAccepted(stored)) return refuse('not_editable')
    const refusedText = refuseText(proposed)
    if (refusedText && proposed.deletedAt === undefined) return refusedText
  }
  if (!isAuthor && proposed.deletedAt !== undefined && stored.deletedAt === undefined) {
    return refuse('not_author')
  }
  const isAhead =
    proposed.attempt > stored.attempt ||
    (proposed.attempt === stored.attempt && statusRank(proposed) > statusRank(stored))
  if (isAhead && !isRetry && proposed.deletedAt === undefined && stored.deletedAt === undefined) {
    return refuse('forged_status')
  }
  const reaction = findNewReaction({ actorId, stored, proposed })
  return reaction && !isReaction(reaction.emoji) ? refuse('bad_reaction') : undefined
}

/**
 * The reaction that the proposal adds or removes: the actor's own, applied to what both people
 * hold.
 */
function findNewReaction(change: {
  actorId: string
  stored: MessageDocument
  proposed: MessageDocument
}): Reaction | undefined {
  const { actorId, stored, proposed } = change
  const reaction = proposed.reactions?.[actorId]
  // On a business channel only the provider reports reactions: one from here would not arrive.
  if (!reaction || !isAccepted(stored) || stored.deletedAt !== undefined || stored.isWhatsApp)
    return undefined
  const before = stored.reactions?.[actorId]
  return before && !isLaterReaction(reaction, before) ? undefined : reaction
}

/** Why this text is not allowed in a message; undefined when it is. */
export function refuseText(
  message: Pick<MessageDocument, 'content' | 'mediaUrl' | 'file'>,
): Refusal | undefined {
  if (message.content.length > limits.messageMaxCharacters) return refuse('too_long')
  const hasFile = message.mediaUrl !== undefined || message.file !== undefined
  if (isBlank(message.content) && !hasFile) return refuse('empty')
  return undefined
}

function isTextChange(stored: MessageDocument, proposed: MessageDocument): boolean {
  return (
    proposed.deletedAt === undefined &&
    proposed.editedAt !== undefined &&
    proposed.editedAt > Math.max(stored.editedAt ?? -1, stored.refused?.at ?? -1) &&
    (proposed.content !== stored.content || stored.deletedAt !== undefined)
  )
}

/** The proposal with everything that the actor may not change reset to the stored version. */
function restrict(change: {
  actorId: string
  stored: MessageDocument
  proposed: MessageDocument
  isAuthor: boolean
  isRetry: boolean
  refusal?: Refusal
}): MessageDocument {
  const { actorId, stored, proposed, isAuthor, isRetry, refusal } = change
  const { isStarred, isStarredAt } = proposed
  const reaction = findNewReaction({ actorId, stored, proposed })
  const refused = proposed.refused ?? stored.refused
  const own = {
    ...stored,
    isStarred,
    isStarredAt,
    ...(refused === undefined ? {} : { refused }),
    ...(reaction && !refusal ? { reactions: { ...stored.reactions, [actorId]: reaction } } : {}),
  }
  if (!isAuthor || refusal) return own
  return {
    ...(isRetry ? sendAgain(own, proposed) : own),
    ...(proposed.deletedAt === undefined ? {} : { deletedAt: proposed.deletedAt }),
    ...(proposed.editedAt === undefined
      ? {}
      : { content: proposed.content, editedAt: proposed.editedAt }),
  }
}

function sendAgain(message: MessageDocument, proposed: MessageDocument): MessageDocument {
  const { error, errorCode, ...rest } = message
  const { attempt, type, mediaUrl, file } = proposed
  const again = { ...rest, attempt, status: 'sending' as const }
  if (file === undefined) return again
  // The server may have lost the file since: its author uploads it again, to another address.
  const { mediaUrl: former, ...others } = again
  return { ...others, type, file, ...(mediaUrl !== undefined && { mediaUrl }) }
}

/** The stored version for a permitted change that failed, with the refused text and the reason. */
export function refuseChange(change: {
  actorId: string
  stored: MessageDocument
  proposed: MessageDocument
  refusal: Refusal
}): MessageDocument {
  return recordRefusal({ ...change, merged: change.stored })
}

/**
 * A refusal is a newer version too: the stored content gets a later time and carries the refused
 * text.
 */
function recordRefusal(change: {
  actorId: string
  merged: MessageDocument
  stored: MessageDocument
  proposed: MessageDocument
  refusal: Refusal
}): MessageDocument {
  const { stored, proposed, refusal } = change
  const merged = keepReaction(change)
  const isText = isTextChange(stored, proposed)
  if (!isText && stored.refused?.code === refusal.code) return merged
  const at = Math.max(proposed.editedAt ?? 0, stored.editedAt ?? 0, stored.refused?.at ?? 0) + 1
  return {
    ...merged,
    ...(isText && merged.deletedAt === undefined ? { editedAt: at } : {}),
    refused: { at, ...refusal, ...(isText ? { content: cutText(proposed.content) } : {}) },
  }
}

/** A refused reaction must not win over the stored one when the device merges them. */
function keepReaction(change: {
  actorId: string
  merged: MessageDocument
  stored: MessageDocument
  proposed: MessageDocument
}): MessageDocument {
  const { actorId, merged, stored } = change
  const refused = findNewReaction(change)
  if (!refused || merged.deletedAt !== undefined) return merged
  const kept = { emoji: stored.reactions?.[actorId]?.emoji ?? '', at: refused.at + 1 }
  return { ...merged, reactions: { ...merged.reactions, [actorId]: kept } }
}

function clampTimes(message: MessageDocument, now: number): MessageDocument {
  return {
    ...message,
    createdAt: Math.min(message.createdAt, now),
    isStarredAt: Math.min(message.isStarredAt, now),
    ...(message.editedAt === undefined ? {} : { editedAt: Math.min(message.editedAt, now) }),
    ...(message.deletedAt === undefined ? {} : { deletedAt: Math.min(message.deletedAt, now) }),
    ...(message.reactions === undefined
      ? {}
      : { reactions: clampReactions(message.reactions, now) }),
  }
}

function clampReactions(reactions: Reactions, now: number): Reactions {
  const clamped = Object.entries(reactions).map(([userId, { emoji, at }]) => [
    userId,
    { emoji, at: Math.min(at, now) },
  ])
  return Object.fromEntries(clamped)
}
