import type { RxJsonSchema } from 'rxdb/plugins/core'
import {
  isAccepted,
  isDiscarded,
  type MessageDocument,
  messageDocument,
  messageFields,
} from '../../../schema/message.ts'

/**
 * A message as this device stores it: the replicated document plus index-only fields. Every write
 * computes those here, and they never leave the device.
 */
export interface StoredMessage extends MessageDocument {
  /** The conversation that shows it; empty for a discarded message, which no list shows. */
  shelf: string
  /**
   * `-orderedAt`: Dexie storage reads a whole range to sort it downwards, so "newest first" sorts
   * this upwards.
   */
  recency: number
  /**
   * Its tally: the id of the person whose unread count includes it, `pending`, `failed`, `refused`
   * (an own sent message with a change that the server refused), or none.
   */
  tally: string
  /**
   * `-isStarredAt` of a starred message, else 1: newest star first, and a range that holds no
   * other.
   */
  starOrder: number
}

export const pendingTally = 'pending'
export const failedTally = 'failed'
export const refusedTally = 'refused'

/** Every message version written to the local database passes through here. */
export function toStoredMessage(message: MessageDocument): StoredMessage {
  return {
    ...message,
    shelf: isDiscarded(message) ? '' : message.peerId,
    recency: -message.orderedAt,
    tally: tallyOf(message),
    starOrder: message.isStarred ? -message.isStarredAt : 1,
  }
}

/** The replicated part, without device-only and storage fields. */
export function fromStoredMessage(stored: Partial<StoredMessage>): MessageDocument {
  const message: Record<string, unknown> = {}
  for (const field of messageFields) {
    if (stored[field] !== undefined) message[field] = stored[field]
  }
  return message as MessageDocument
}

/** Where a message lies that could not be parsed. No other has this place. */
export const placeOfUnparsed = { shelf: '', orderedAt: 0 }

/**
 * A message from the server. One that this version cannot parse is kept hidden: it must not hold up
 * its neighbours, and a later version asks for it again (`unparsed.ts`).
 */
export function fromServerMessage(document: Partial<StoredMessage>): StoredMessage {
  const message = messageDocument.safeParse(document)
  if (message.success) return toStoredMessage(message.data)
  const hidden = { recency: 0, tally: '', starOrder: 1 }
  return { ...fromStoredMessage(document), ...hidden, ...placeOfUnparsed }
}

function tallyOf(message: MessageDocument): string {
  if (message.deletedAt !== undefined) return ''
  if (message.status === 'sending') return pendingTally
  const isOwn = message.senderId !== message.peerId
  if (isOwn && message.status === 'failed') return failedTally
  if (isOwn) return message.refused ? refusedTally : ''
  return isAccepted(message) ? message.peerId : ''
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
