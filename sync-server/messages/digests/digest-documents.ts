import type { MessageDocument } from '../../../schema/message.ts'
import type { Document } from '../../storage/documents/documents.ts'
import { conversationKey, type OrderEntry } from '../order/order-entry.ts'

/**
 * Where digests lie: what copies and places say, in a form that nobody has to walk through all of them for. A digest is
 * stored with what it is about, or before it where the two cannot be stored at once: so it may say too much, and then
 * the copy has the last word.
 */
export const digestsDatabase = 'digests'

/** A message that its owner may have starred. */
export interface StarDigest {
  /** `star~<owner>~<message>` */
  _id: string
  messageId: string
  peerId: string
  /** Its place; where storage is not atomic, the one that it was to get. */
  orderedAt: number
}

/** A message that its author may have deleted, for both people. It never changes. */
export interface DeletionDigest {
  /** `deletion~<lower user id>~<higher user id>~<message>` */
  _id: string
  messageId: string
  senderId: string
  orderedAt: number
  hasFile: boolean
}

/** What a conversation holds for one of its people, deleted ones with it: `files` came with a file. */
export interface Tally {
  sent: number
  received: number
  files: number
}

/** A message that is there for one of the two people. */
export interface Seen {
  messageId: string
  orderedAt: number
}

/** A tally up to a place, and that place with it. What was `open` then is looked at again. */
export interface TallyDigest extends Tally {
  /** `tally~<owner>~<peer>~[r<generation>~]<orderedAt in 15 digits>` */
  _id: string
  orderedAt: number
  last?: Seen
  open: OrderEntry[]
}

/** Which tallies of a conversation count: it grows with each message that comes back into a place below others. */
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

/** What the tallies of this person begin with. */
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

/** What makes all tallies of a conversation void that were counted, or are being counted. */
export function nextGeneration(_id: string, stored: ReadonlyMap<string, Document>) {
  const { generation = 0 } = (stored.get(_id) ?? {}) as Partial<TallyGeneration>
  return { _id, generation: generation + 1 }
}

/** Says that every star of this person, and every deletion among their messages, has its digest. */
export function completeKey(ownerId: string): string {
  return `complete~${ownerId}`
}

/** The ids that begin with this. */
export function idsBeneath(prefix: string) {
  return { startkey: prefix, endkey: `${prefix}\uffff` }
}

export function toStarDigest(ownerId: string, message: MessageDocument): StarDigest {
  const { _id: messageId, peerId, orderedAt } = message
  return { _id: starKey(ownerId, messageId), messageId, peerId, orderedAt }
}

/** @param message as it was before it was deleted, with its place */
export function toDeletionDigest(message: MessageDocument): DeletionDigest {
  const { _id: messageId, senderId, recipientId, orderedAt, mediaUrl } = message
  const _id = deletionKey(senderId, recipientId, messageId)
  return { _id, messageId, senderId, orderedAt, hasFile: mediaUrl !== undefined }
}
