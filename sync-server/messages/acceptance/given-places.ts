import { must } from '../../../schema/helpers/must.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import type { ReadPart } from '../../storage/documents/transaction.ts'
import { weighDocument } from '../copies/weigh-document.ts'
import {
  conversationKey,
  type OrderEntry,
  orderEntryKey,
  toOrderEntry,
} from '../order/order-entry.ts'
import type { OrderJournal } from '../order/order-journal.ts'
import { isReturned, isTakenBack, type MessageDraft } from '../proposals/message-draft.ts'
import type { Delivery } from './delivery-types.ts'
import {
  findKeptPlace,
  findOwnEntry,
  type KeptPlace,
  listClaimedEntries,
} from './returned-places.ts'

interface Placed {
  draft: MessageDraft
  message: MessageDocument
}

/**
 * Gives new messages places in the order in which their author saw them pending. Returned messages
 * keep theirs where allowed; the other person's copies follow.
 * @returns `unseen`: journal entries to read before deciding; `isBelow`: tallied places may have
 * changed; `released`: how many bytes no longer count for the other person
 */
export function givePlaces(
  delivery: Delivery,
  drafts: readonly MessageDraft[],
  peerCopies: ReadonlyMap<string, MessageDocument>,
  { read, journal }: { read: ReadPart; journal: Pick<OrderJournal, 'assignOrder' | 'lastGiven'> },
) {
  const { actorId, peerId, reach, touched } = delivery
  const places = new Map<string, KeptPlace>()
  const seen = new Set(listClaimedEntries(delivery))
  const unseen: string[] = []
  let isBelow = false
  let released = 0
  for (const { draft, message } of drafts.flatMap(asPlaced).sort(byPlaceWanted)) {
    const { _id, recipientId } = message
    const found = draft.effect === 'deliver' && reach === 'delivered' && peerCopies.get(_id)
    const copy =
      found && found.senderId === actorId && found.recipientId === recipientId ? found : undefined
    const key = copy && keyOf(copy)
    if (key !== undefined && !seen.has(key)) {
      unseen.push(key)
      continue
    }
    const entry = copy && findOwnEntry(copy, read)
    const place = findPlace(draft, message, copy && entry && { copy, entry })
    places.set(_id, place)
    // The copy leaves a place that a tally may have counted.
    const isLeft = entry !== undefined && copy?.orderedAt !== place.orderedAt
    isBelow ||= place.isBelow || isLeft
    if (entry?.isClaimed && !touched.has(_id)) released += weighDocument(copy)
  }
  return {
    places,
    unseen,
    isBelow,
    released,
    drafts: drafts.map((draft): MessageDraft => {
      const orderedAt = places.get(draft.proposal.id)?.orderedAt
      return draft.next && orderedAt !== undefined
        ? { ...draft, next: { ...draft.next, orderedAt } }
        : draft
    }),
  }

  /** By priority: the journal's place, then the author's, then one that only the reader claims. */
  function findPlace(
    draft: MessageDraft,
    message: MessageDocument,
    known: { copy: MessageDocument; entry: OrderEntry } | undefined,
  ): KeptPlace {
    const entered = known && {
      orderedAt: known.copy.orderedAt,
      isEntered: true,
      isBelow: false,
    }
    if (entered && !known?.entry.isClaimed) return entered
    const taken = new Set([...places.values()].map(({ orderedAt }) => orderedAt))
    const kept =
      isReturned(draft) || isTakenBack(draft)
        ? findKeptPlace({ delivery, message, read, journal, taken })
        : undefined
    const found = kept ?? entered
    if (found) return found
    const orderedAt = journal.assignOrder(actorId, must(peerId, 'a recipient'))
    return { orderedAt, isEntered: false, isBelow: false }
  }
}

function asPlaced(draft: MessageDraft): Placed[] {
  const { effect, next: message } = draft
  return message && (effect === 'deliver' || isTakenBack(draft)) ? [{ draft, message }] : []
}

function keyOf({ senderId, recipientId, orderedAt }: MessageDocument): string {
  return orderEntryKey(conversationKey(senderId, recipientId), orderedAt)
}

function byPlaceWanted({ message: a }: Placed, { message: b }: Placed): number {
  return a.orderedAt - b.orderedAt || a.createdAt - b.createdAt || (a._id < b._id ? -1 : 1)
}

/** Journal entries to add for what is delivered or taken back. */
export function listEntries(
  { actorId, reach, isAtomic }: Delivery,
  places: ReadonlyMap<string, KeptPlace>,
  drafts: readonly MessageDraft[],
) {
  return drafts.flatMap(asPlaced).flatMap(({ draft, message }) => {
    if (places.get(message._id)?.isEntered !== false) return []
    const isClaimed = message.senderId !== actorId && !draft.proposal.isFromProvider
    const isHeld = reach === 'held' && !isClaimed
    return [toOrderEntry(message, { isHeld, isWhole: isAtomic && !isClaimed, isClaimed })]
  })
}
