import type { Table } from 'dexie'
import { isAccepted, isIncoming, type MessageDocument } from '../../../schema/message.ts'
import { addressPrefix, filePrefix } from './queued-request.ts'
import { failedTally, pendingTally, type StoredMessage } from './stored-message.ts'

/** Greater than every number and text, as IndexedDB compares keys. */
const highest: never[] = []

/** Where each index lists the starred and the unsent messages. */
export const wantingRanges = [
  { index: ['_deleted', 'starOrder', '_id'], lower: ['0', -Infinity], upper: ['0', 0, highest] },
  ...[pendingTally, failedTally].map((tally) => ({
    index: ['_deleted', 'tally', 'recency', '_id'],
    lower: ['0', tally],
    upper: ['0', tally, highest],
  })),
]

/** The unsent and the starred messages of this device. */
export async function listWanting(
  documents: Table<StoredMessage, string>,
): Promise<StoredMessage[]> {
  const found = await Promise.all(
    wantingRanges.map(({ index, lower, upper }) =>
      documents
        .where(`[${index.join('+')}]`)
        .between(lower, upper)
        .toArray(),
    ),
  )
  return found.flat()
}

/**
 * Files stored under another message than the one that needs them, because both share one address.
 * @returns the ids of the messages that store them
 */
export async function findHolders(
  notes: Table<{ id: string }, string>,
  wanting: readonly Pick<MessageDocument, '_id' | 'mediaUrl'>[],
): Promise<Set<string>> {
  const ownKeys = await notes
    .where('id')
    .anyOf(wanting.map(({ _id }) => filePrefix + _id))
    .primaryKeys()
  const own = new Set(ownKeys)
  const addresses = wanting.flatMap(({ _id, mediaUrl }) =>
    mediaUrl === undefined || own.has(filePrefix + _id) ? [] : addressPrefix + mediaUrl,
  )
  const named: ({ id: string; messageId?: string } | undefined)[] = await notes.bulkGet(addresses)
  return new Set(named.flatMap((note) => note?.messageId ?? []))
}

/** Does only its author's device have it? */
export function isUnsent(
  message: Pick<MessageDocument, 'senderId' | 'status' | 'deletedAt'>,
  ownerId: string,
): boolean {
  const isOwn = !isIncoming(message, ownerId)
  return isOwn && !isAccepted(message) && message.deletedAt === undefined
}
