import { isAccepted, type MessageDocument } from '../../../schema/message.ts'
import type { Document } from '../../storage/documents/documents.ts'
import { conversationKey, type OrderEntry } from '../copies/order-entry.ts'

/**
 * The database of digests: facts from copies and places that need no full scan. A digest is stored
 * with its subject, or before it without atomic storage: so it may claim too much, and the copy
 * decides.
 */
export const digestsDatabase = 'digests'

/** A message that its owner may have starred. */
export interface StarDigest {
  /** `star~<owner>~<message>` */
  _id: string
  messageId: string
  peerId: string
  /** Its place; without atomic storage, the intended one. */
  orderedAt: number
}

/** A message that its author may have deleted, for both people. Immutable. */
export interface DeletionDigest {
  /** `deletion~<lower user id>~<higher user id>~<message>` */
  _id: string
  messageId: string
  senderId: string
  orderedAt: number
  hasFile: boolean
}

/**
 * The counts of a conversation for one of its people, including deleted messages: `files` had a
 * file.
 */
export interface Tally {
  sent: number
  received: number
  files: number
}

/** A message that exists for one of the two people. */
export interface Seen {
  messageId: string
  orderedAt: number
}

/** A tally up to and including a place. Messages `open` then are checked again. */
export interface TallyDigest extends Tally {
  /** `tally~<owner>~<peer>~[r<generation>~]<orderedAt in 15 digits>` */
  _id: string
  orderedAt: number
  last?: Seen
  open: OrderEntry[]
}

/** Which tallies of a conversation are valid: rises with each message that returns below others. */
export interface TallyGeneration {
  /** `generation~<lower user id>~<higher user id>` */
  _id: string
  generation: number
}

export function starKey(ownerId: string, messageId: string): string {
  return `star~${ownerId}~${messageId}`
}

export function deletionKey(oneId: string, otherId: string, messageId: string): string {
  return `deletion~${conversationKey(oneId, otherId)}~${messageId}`
}

/** The id prefix of this person's tallies. */
export function talliesPrefix(ownerId: string): string {
  return `tally~${ownerId}~`
}

export function tallyKey(
  { ownerId, peerId, generation }: { ownerId: string; peerId: string; generation: number },
  orderedAt: number,
): string {
  const grown = generation === 0 ? '' : `r${generation}~`
  return `${talliesPrefix(ownerId)}${peerId}~${grown}${String(orderedAt).padStart(15, '0')}`
}

export function generationKey(oneId: string, otherId: string): string {
  return `generation~${conversationKey(oneId, otherId)}`
}

/** Voids all tallies of a conversation, including those being counted. */
export function nextGeneration(_id: string, stored: ReadonlyMap<string, Document>) {
  const { generation = 0 } = (stored.get(_id) ?? {}) as Partial<TallyGeneration>
  return { _id, generation: generation + 1 }
}

/**
 * Marks that every star of this person, and every deletion among their messages, has its digest.
 */
export function completeKey(ownerId: string): string {
  return `complete~${ownerId}`
}

export function toStarDigest(ownerId: string, message: MessageDocument): StarDigest {
  const { _id: messageId, peerId, orderedAt } = message
  return { _id: starKey(ownerId, messageId), messageId, peerId, orderedAt }
}

/** @param message as it was before deletion, with its place */
export function toDeletionDigest(message: MessageDocument): DeletionDigest {
  const { _id: messageId, senderId, recipientId, orderedAt, mediaUrl } = message
  const _id = deletionKey(senderId, recipientId, messageId)
  return { _id, messageId, senderId, orderedAt, hasFile: mediaUrl !== undefined }
}

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
