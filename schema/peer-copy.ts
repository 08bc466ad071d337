import { areFieldsEqual } from './helpers/are-fields-equal.ts'
import { blankDeleted, type MessageDocument } from './message.ts'
import { mergeReactions } from './reaction.ts'
import { type Refusal, refuse } from './refusal.ts'

/** The other person's copy of a message that the rule accepted; this copy counts as arrived. */
export function copyForPeer(accepted: MessageDocument, now: number): MessageDocument {
  const { refused, error, errorCode, ...shared } = accepted
  return {
    ...shared,
    peerId: accepted.senderId,
    status: 'delivered',
    statusHistory: [{ status: 'delivered', timestamp: now }],
    isStarred: false,
    isStarredAt: 0,
  }
}

/**
 * Recreates the author's copy from the other person's after a crash between the two writes (P3).
 */
export function copyForAuthor(peerCopy: MessageDocument, acceptedAt: number): MessageDocument {
  return {
    ...peerCopy,
    peerId: peerCopy.recipientId,
    status: 'sent',
    statusHistory: [{ status: 'sent', timestamp: acceptedAt }],
    isStarred: false,
    isStarredAt: 0,
  }
}

/**
 * Creates or amends the other person's copy; refuses when the id already belongs to another message
 * there. Their own star stays, the author's text always wins, and a reader can only react.
 */
export function writePeerCopy(write: {
  stored: MessageDocument | undefined
  accepted: MessageDocument
  now: number
}):
  | { kind: 'keep' }
  | { kind: 'store'; next: MessageDocument }
  | { kind: 'refuse'; refusal: Refusal } {
  const { stored, accepted, now } = write
  if (!stored) return { kind: 'store', next: copyForPeer(accepted, now) }
  if (stored.senderId !== accepted.senderId || stored.recipientId !== accepted.recipientId) {
    return { kind: 'refuse', refusal: refuse('foreign_id') }
  }
  const merged = mergeReactions(stored.reactions, accepted.reactions)
  const reactions = merged === undefined ? {} : { reactions: merged }
  const isReacted =
    stored.deletedAt === undefined && !areFieldsEqual(['reactions'], stored, reactions)
  const isFromAuthor = accepted.peerId === accepted.recipientId
  const isTextNewer =
    isFromAuthor && accepted.content !== stored.content && stored.deletedAt === undefined
  const isDeletedNow = isFromAuthor && accepted.deletedAt !== stored.deletedAt
  if (!isTextNewer && !isDeletedNow && !isReacted) return { kind: 'keep' }
  const editedAt = Math.max(accepted.editedAt ?? 0, (stored.editedAt ?? 0) + 1)
  const deletedAt = isFromAuthor ? (accepted.deletedAt ?? stored.deletedAt) : stored.deletedAt
  return {
    kind: 'store',
    next: blankDeleted({
      ...stored,
      ...(isTextNewer ? { content: accepted.content, editedAt } : {}),
      ...(deletedAt === undefined ? {} : { deletedAt }),
      ...reactions,
    }),
  }
}
