import { cutText } from './cut-text.ts'
import { isBlank } from './is-blank.ts'
import { limits } from './limits.ts'
import { mergeMessages } from './merge-messages.ts'
import { isAccepted, type MessageDocument } from './message.ts'
import { type Refusal, refuse } from './refusal.ts'
import { statusRank } from './status-rank.ts'

export interface PermittedChange {
  /** The stored version with all that the actor may change, and a note of what was refused. */
  next: MessageDocument
  refusal?: Refusal
  /** The person sends a refused message again: the rule decides it anew, as a new one. */
  isRetry: boolean
}

/**
 * What a proposal may change in a stored message (P4): its reader the star, its author also the text and
 * the deletion, and a refused one's author may send it again. A device uses the same function on what the
 * server holds, so both sides come to the same result and nothing is pushed for ever.
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
  const refusal = findRefusal({ stored, proposed, isAuthor, isRetry })
  const allowed = restrict({ stored, proposed, isAuthor, isRetry, refusal })
  const merged = mergeMessages(stored, allowed)
  return {
    next: refusal ? noteRefusal(merged, stored, proposed, refusal) : merged,
    refusal,
    isRetry,
  }
}

function findRefusal(change: {
  stored: MessageDocument
  proposed: MessageDocument
  isAuthor: boolean
  isRetry: boolean
}): Refusal | undefined {
  const { stored, proposed, isAuthor, isRetry } = change
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
    // What has left for somebody else's phone cannot be changed there.
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
  return undefined
}

/** Why this text cannot stand in a message, if it cannot. */
export function refuseText(
  message: Pick<MessageDocument, 'content' | 'mediaUrl'>,
): Refusal | undefined {
  if (message.content.length > limits.messageMaxCharacters) return refuse('too_long')
  if (isBlank(message.content) && message.mediaUrl === undefined) return refuse('empty')
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

/** The proposal with everything that the actor may not change put back to what is stored. */
function restrict(change: {
  stored: MessageDocument
  proposed: MessageDocument
  isAuthor: boolean
  isRetry: boolean
  refusal?: Refusal
}): MessageDocument {
  const { stored, proposed, isAuthor, isRetry, refusal } = change
  const { isStarred, isStarredAt } = proposed
  const refused = proposed.refused ?? stored.refused
  const own = {
    ...stored,
    isStarred,
    isStarredAt,
    ...(refused === undefined ? {} : { refused }),
  }
  if (!isAuthor || refusal) return own
  return {
    ...(isRetry ? sendAgain(own, proposed.attempt) : own),
    ...(proposed.deletedAt === undefined ? {} : { deletedAt: proposed.deletedAt }),
    ...(proposed.editedAt === undefined
      ? {}
      : { content: proposed.content, editedAt: proposed.editedAt }),
  }
}

function sendAgain(message: MessageDocument, attempt: number): MessageDocument {
  const { error, errorCode, ...rest } = message
  return { ...rest, attempt, status: 'sending' }
}

/** The stored version of a change that the rule permits and that could not be made, with the text and the reason. */
export function refuseChange(change: {
  stored: MessageDocument
  proposed: MessageDocument
  refusal: Refusal
}): MessageDocument {
  const { stored, proposed, refusal } = change
  return noteRefusal(stored, stored, proposed, refusal)
}

/** A refusal is itself a newer version: the stored text stands under a later time, the refused one rides along. */
function noteRefusal(
  merged: MessageDocument,
  stored: MessageDocument,
  proposed: MessageDocument,
  refusal: Refusal,
): MessageDocument {
  const isText = isTextChange(stored, proposed)
  if (!isText && stored.refused?.code === refusal.code) return merged
  const at = Math.max(proposed.editedAt ?? 0, stored.editedAt ?? 0, stored.refused?.at ?? 0) + 1
  return {
    ...merged,
    ...(isText && merged.deletedAt === undefined ? { editedAt: at } : {}),
    refused: { at, ...refusal, ...(isText ? { content: cutText(proposed.content) } : {}) },
  }
}

function clampTimes(message: MessageDocument, now: number): MessageDocument {
  return {
    ...message,
    createdAt: Math.min(message.createdAt, now),
    isStarredAt: Math.min(message.isStarredAt, now),
    ...(message.editedAt === undefined ? {} : { editedAt: Math.min(message.editedAt, now) }),
    ...(message.deletedAt === undefined ? {} : { deletedAt: Math.min(message.deletedAt, now) }),
  }
}
