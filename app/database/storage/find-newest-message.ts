import { isAccepted, isIncoming, type MessageDocument } from '../../../schema/message.ts'
import { type MessageCollection, ownerOf } from './collections.ts'
import { queryDocuments } from './read-documents.ts'
import { failedTally, fromStoredMessage, listTally, pendingTally } from './stored-message.ts'

/** The newest message that a conversation shows on this device. */
export async function findNewestMessage(
  messages: MessageCollection,
  peerId: string,
): Promise<MessageDocument | undefined> {
  const [newest] = await queryDocuments(messages, {
    selector: { shelf: peerId },
    sort: [{ shelf: 'asc' }, { recency: 'asc' }],
    index: ['shelf', 'recency'],
    limit: 1,
  })
  return newest && fromStoredMessage(newest)
}

/** The other person's newest message: the limit of a receipt. */
export async function findNewestIncoming(
  messages: MessageCollection,
  peerId: string,
): Promise<MessageDocument | undefined> {
  const [newest] = await listTally(messages, peerId, 1)
  return newest && fromStoredMessage(newest)
}

/** Own messages since the other person's newest: rarely more. */
const ownLookedThrough = 100

/**
 * The other person's newest message above a place, also a deleted one: a receipt has to cover it.
 * Beyond a hundred own messages it finds none that is deleted.
 */
export async function findNewestArrived(
  messages: MessageCollection,
  { peerId, above }: { peerId: string; above: number },
): Promise<MessageDocument | undefined> {
  const newest = await queryDocuments(messages, {
    selector: { shelf: peerId, recency: { $lt: -above } },
    sort: [{ shelf: 'asc' }, { recency: 'asc' }],
    index: ['shelf', 'recency'],
    limit: ownLookedThrough,
  })
  const theirs = newest.find(
    (message) => isIncoming(message, ownerOf(messages)) && isAccepted(message),
  )
  if (theirs) return fromStoredMessage(theirs)
  if (newest.length < ownLookedThrough) return undefined
  const incoming = await findNewestIncoming(messages, peerId)
  return incoming && incoming.orderedAt > above ? incoming : undefined
}

/** Webhooks arrive in any order: checks this many of the newest messages. */
const lookedAt = 20

/** When the other person last wrote over a business channel, by the provider's clock: epoch ms. */
export async function findLastInboundAt(
  messages: MessageCollection,
  peerId: string,
): Promise<number | undefined> {
  const newest = await listTally(messages, peerId, lookedAt)
  // A notice about them is no message of theirs.
  const theirs = newest.filter(({ isSystem }) => !isSystem)
  const times = theirs.map(({ whatsapp_timestamp: time }) => (time ? Date.parse(time) : Number.NaN))
  const known = times.filter((time) => Number.isFinite(time))
  return known.length === 0 ? undefined : Math.max(...known)
}

/** Each conversation's newest pending message, by the other person's id. */
export async function findNewestPending(
  messages: MessageCollection,
): Promise<Map<string, MessageDocument>> {
  const pending = await listTally(messages, pendingTally)
  // Newest first. The map keeps each conversation's last entry, so the order is reversed.
  return new Map(pending.reverse().map((stored) => [stored.peerId, fromStoredMessage(stored)]))
}

/** In each conversation, the newest place of the own refused messages that await their author. */
export async function findFailedPlaces(messages: MessageCollection): Promise<Map<string, number>> {
  const failed = await listTally(messages, failedTally)
  return new Map(failed.reverse().map(({ peerId, orderedAt }) => [peerId, orderedAt]))
}
