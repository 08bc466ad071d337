import { isAccepted, type MessageDocument } from '../../../schema/message.ts'
import type { Document } from '../../storage/documents/documents.ts'
import { deletionKey, starKey, toDeletionDigest, toStarDigest } from './digest-documents.ts'

/** The owner's copy before and after a change. */
export interface CopyChange {
  ownerId: string
  before: MessageDocument | undefined
  after: MessageDocument
}

/** The digests that a change of both copies of this message may need. */
export function listDigestIds(oneId: string, otherId: string, messageId: string): string[] {
  return [
    deletionKey(oneId, otherId, messageId),
    starKey(oneId, messageId),
    starKey(otherId, messageId),
  ]
}

/**
 * Drafts the digests for changes of copies. Pure.
 * @param stored the existing digests
 * @param isAtomic stored with the copies; otherwise keeps digests, because a star returning at the
 * same moment may rely on one
 */
export function draftDigests(options: {
  changes: readonly CopyChange[]
  stored: ReadonlyMap<string, Document>
  isAtomic: boolean
}): Document[] {
  const { changes, stored, isAtomic } = options
  const drafted = new Map<string, Document>()
  for (const { ownerId, before, after } of changes) {
    const star = toStarDigest(ownerId, after)
    if (isStarred(after) && !isStarred(before)) drafted.set(star._id, star)
    const isTakenBack = isStarred(before) && !isStarred(after)
    if (isAtomic && isTakenBack && stored.has(star._id)) drafted.set(star._id, remove(star))
    if (!isDeleted(after) || isDeleted(before)) continue
    const deletion = toDeletionDigest({ ...(before ?? after), orderedAt: after.orderedAt })
    if (!stored.has(deletion._id) && !drafted.has(deletion._id)) drafted.set(deletion._id, deletion)
  }
  return [...drafted.values()]
}

function isStarred(message: MessageDocument | undefined): boolean {
  return message !== undefined && isAccepted(message) && message.isStarred
}

function isDeleted(message: MessageDocument | undefined): boolean {
  return message?.deletedAt !== undefined && isAccepted(message)
}

function remove({ _id }: Document): Document & { _deleted: true } {
  return { _id, _deleted: true }
}
