import type { RxDocumentData, RxJsonSchema } from 'rxdb/plugins/core'
import { groupMessageDocument } from '../../../schema/api/groups.ts'
import { isMentioned } from '../../../schema/helpers/mentions.ts'
import { isAccepted, isDiscarded, isIncoming, messageFields } from '../../../schema/message.ts'
import { isAnyLocked, type OpenedMessage } from '../../encryption/sealed-message.ts'
import type { MessageCollection } from './collections.ts'
import { queryDocuments } from './read-documents.ts'

/**
 * A message as this device stores it: the replicated document with its words open, plus index-only
 * fields. Every write computes those here, and they never leave the device.
 */
export interface StoredMessage extends OpenedMessage {
  /** The conversation that shows it; empty for a discarded or hidden one, which no list shows. */
  shelf: string
  /**
   * `-orderedAt`: Dexie storage reads a whole range to sort it downwards, so "newest first" sorts
   * this upwards.
   */
  recency: number
  /**
   * Its tally: the id of the conversation whose unread count includes it, `pending`, `failed`, `refused`
   * (an own sent message with a change that the server refused), or none.
   */
  tally: string
  /**
   * `-isStarredAt` of a starred message, else 1: newest star first, and a range that holds no
   * other. `lockedOrder` of one without a star that has a part nobody could open here. The place of
   * another person's message that mentions its owner.
   */
  starOrder: number
}

export const lockedOrder = 2
/** Of a group's secrets, which are read at each start. */
export const epochOrder = 3
/** Above it lie the places of messages that mention the owner. */
export const mentionsAbove = 3

export const pendingTally = 'pending'
export const failedTally = 'failed'
export const refusedTally = 'refused'

/** Every message version written to `ownerId`'s local database passes through here. */
export function toStoredMessage(message: OpenedMessage, ownerId: string): StoredMessage {
  return {
    ...message,
    shelf: isDiscarded(message) || message.isHidden || message.epoch ? '' : message.peerId,
    recency: -message.orderedAt,
    tally: tallyOf(message, ownerId),
    starOrder: orderStars(message, ownerId),
  }
}

function orderStars(message: OpenedMessage, ownerId: string): number {
  if (message.epoch) return epochOrder
  if (message.isStarred && !message.isHidden) return -message.isStarredAt
  if (isAnyLocked(message)) return lockedOrder
  const isUnreadable = message.isHidden || message.deletedAt !== undefined || !isAccepted(message)
  if (isUnreadable || !isIncoming(message, ownerId) || !isMentioned(message, ownerId)) return 1
  return Math.max(message.orderedAt, mentionsAbove + 1)
}

/** The message with its words, without index-only and storage fields. */
export function fromStoredMessage(stored: Partial<StoredMessage>): OpenedMessage {
  const message: Record<string, unknown> = {}
  for (const field of messageFields) {
    if (stored[field] !== undefined) message[field] = stored[field]
  }
  if (stored.line !== undefined) message.line = stored.line
  if (stored.epoch !== undefined) message.epoch = stored.epoch
  if (stored.locked !== undefined) message.locked = stored.locked
  if (stored.later !== undefined) message.later = stored.later
  return message as unknown as OpenedMessage
}

/** Where a message lies that could not be parsed. No other has this place. */
export const placeOfUnparsed = { shelf: '', orderedAt: 0 }

/**
 * A message from the server. One that this version cannot parse is kept hidden: it must not hold up
 * its neighbours, and a later version asks for it again (`unparsed.ts`).
 */
export function fromServerMessage(
  document: Partial<StoredMessage>,
  ownerId: string,
  open: (message: OpenedMessage) => OpenedMessage = (message) => message,
): StoredMessage {
  const message = groupMessageDocument.safeParse(document)
  if (message.success) return toStoredMessage(open(message.data), ownerId)
  const hidden = { recency: 0, tally: '', starOrder: 1 }
  return { ...fromStoredMessage(document), ...hidden, ...placeOfUnparsed }
}

function tallyOf(message: OpenedMessage, ownerId: string): string {
  // What became of a group, and its secrets, are no messages that wait to be read or sent.
  if (message.deletedAt !== undefined || message.line || message.epoch) return ''
  if (message.status === 'sending') return pendingTally
  const isOwn = !isIncoming(message, ownerId)
  if (isOwn && message.status === 'failed') return failedTally
  if (isOwn) return message.refused ? refusedTally : ''
  return isAccepted(message) && !message.isHidden ? message.peerId : ''
}

const time = { type: 'number', minimum: -8.64e15, maximum: 8.64e15, multipleOf: 1 } as const
const idText = { type: 'string', maxLength: 100 } as const

/**
 * Permissive on purpose: a newer server's document must never stop a batch. The schemas in
 * `schema/` define a message; this one defines its indexes.
 */
export const storedMessageSchema: RxJsonSchema<StoredMessage> = {
  title: 'message',
  version: 0,
  primaryKey: '_id',
  type: 'object',
  properties: {
    _id: idText,
    shelf: idText,
    recency: time,
    orderedAt: time,
    tally: idText,
    starOrder: time,
  } as RxJsonSchema<StoredMessage>['properties'],
  required: ['_id', 'shelf', 'recency', 'orderedAt', 'tally', 'starOrder'],
  indexes: [['shelf', 'recency'], ['shelf', 'orderedAt'], ['tally', 'recency'], ['starOrder']],
}

/** The messages with this tally, newest first, at most `limit`. */
export async function listTally(
  messages: MessageCollection,
  tally: string,
  limit?: number,
): Promise<RxDocumentData<StoredMessage>[]> {
  return await queryDocuments(messages, {
    selector: { tally },
    sort: [{ tally: 'asc' }, { recency: 'asc' }],
    index: ['tally', 'recency'],
    ...(limit && { limit }),
  })
}
