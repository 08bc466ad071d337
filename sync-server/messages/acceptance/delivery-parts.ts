import {
  nameConversationsDatabase,
  nameMessagesDatabase,
} from '../../storage/databases/database-names.ts'
import type { Part } from '../../storage/documents/transaction.ts'
import { hintsDatabase } from '../copies/hints.ts'
import { digestsDatabase, generationKey, starKey } from '../digests/digest-documents.ts'
import { listDigestIds } from '../digests/digest-writes.ts'
import { ordersDatabase } from '../order/order-journal.ts'
import { silencesKey } from '../receipts/peer-silences.ts'
import type { Delivery } from './delivery-types.ts'
import { outboxDatabase, outboxEntryKey } from './outbox-entry.ts'
import { listClaimedEntries, mayComeBelow } from './returned-places.ts'

/** The documents that a delivery must read. */
export function listParts(delivery: Delivery): Part[] {
  const { actorId, peerId, reach, groups, hasBegun, isPeerOut, isAtomic } = delivery
  const ids = groups.map(({ id }) => id)
  // A device makes fresh ids: what it calls new is rarely stored already.
  const isNew = groups.every(({ proposals }) =>
    proposals.every(
      ({ message }) =>
        message?.status === 'sending' && message.attempt === 1 && message.deletedAt === undefined,
    ),
  )
  const own = { name: nameMessagesDatabase(actorId), ids, isNew }
  const hints = { name: hintsDatabase, ids: [], isNew: true }
  const digests = { name: digestsDatabase, ids: isNew ? listNewDigestIds(delivery) : [] }
  if (peerId === undefined) return [own]
  if (!isNew) digests.ids = ids.flatMap((id) => listDigestIds(actorId, peerId, id))
  if (mayComeBelow(delivery)) digests.ids.push(generationKey(actorId, peerId))
  const claimed = { name: ordersDatabase, ids: listClaimedEntries(delivery) }
  if (reach === 'unknown_person') return [own, digests, claimed]
  if (isPeerOut) return [own, digests, hints, claimed]
  const isOther = peerId !== actorId
  if (reach === 'channel') {
    const begun = isAtomic && !hasBegun ? [ownConversation(actorId, peerId)] : []
    return [own, digests, claimed, { name: outboxDatabase, ids: listOutboxIds(delivery) }, ...begun]
  }
  return [
    own,
    digests,
    {
      name: ordersDatabase,
      ids: [...(reach === 'held' ? [silencesKey(actorId, peerId)] : []), ...claimed.ids],
    },
    ...(isOther ? [{ name: nameMessagesDatabase(peerId), ids, isNew }] : []),
    ...(isAtomic ? [] : [hints]),
    ...(isOther && isAtomic && !hasBegun ? listConversations(actorId, peerId) : []),
  ]
}

/** A new message may have a star already, and otherwise needs no digest. */
function listNewDigestIds({ actorId, groups }: Delivery): string[] {
  return groups.flatMap(({ id, proposals }) =>
    proposals.some(({ message }) => message?.isStarred) ? [starKey(actorId, id)] : [],
  )
}

function listConversations(actorId: string, peerId: string): Part[] {
  return [
    { name: nameConversationsDatabase(peerId), ids: [actorId] },
    ownConversation(actorId, peerId),
  ]
}

function ownConversation(actorId: string, peerId: string): Part {
  return { name: nameConversationsDatabase(actorId), ids: [peerId] }
}

/** Messages that may go out over a business channel: each attempt once. */
function listOutboxIds({ actorId: ownerId, groups }: Delivery): string[] {
  const ids = groups.flatMap(({ id: messageId, proposals }) =>
    proposals.flatMap(({ message, isFromProvider }) =>
      message && !isFromProvider
        ? [outboxEntryKey({ ownerId, messageId, attempt: message.attempt })]
        : [],
    ),
  )
  return [...new Set(ids)]
}
