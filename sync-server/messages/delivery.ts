import type { ConversationDocument } from '../../schema/conversation.ts'
import { failMessage } from '../../schema/decide-message.ts'
import type { LostSpan } from '../../schema/lost-span.ts'
import type { MessageDocument } from '../../schema/message.ts'
import { must } from '../../schema/must.ts'
import { refuse } from '../../schema/refusal.ts'
import type { Reach } from '../access/create-relations.ts'
import { nameConversationsDatabase, nameMessagesDatabase } from '../storage/database-names.ts'
import type { DatabaseWrite, Part, ReadPart } from '../storage/transaction.ts'
import { beginWith } from './begin-conversations.ts'
import { digestsDatabase, starKey } from './digest-documents.ts'
import { type CopyChange, draftDigests, listDigestIds } from './digest-writes.ts'
import { isReturned, type MessageDraft } from './draft-message.ts'
import { hintsDatabase, toMessageHint } from './hints.ts'
import { toOrderEntry } from './order-entry.ts'
import { type OrderJournal, ordersDatabase } from './order-journal.ts'
import { draftPeerCopies, isForPeer, refuseUnwritten } from './peer-copies.ts'
import { extendSilences, type SilencesDocument, silencesKey } from './peer-silences.ts'
import { draftGroup, type ProposalGroup } from './proposal-group.ts'
import { findKeptPlace, listClaimedEntries } from './returned-places.ts'
import { weighDocument } from './weigh-document.ts'

/** What one person proposes of their messages with one other person; they are written together. */
export interface Delivery {
  actorId: string
  /** Undefined for what names nobody: it concerns nobody else. */
  peerId: string | undefined
  reach: Reach
  /** They have no room left for anything new. */
  isActorFull: boolean
  groups: readonly ProposalGroup[]
  /** Which new messages with a file may share it, by id. */
  sharedFiles: ReadonlyMap<string, boolean>
  /** Both conversations are known to have begun. */
  hasBegun: boolean
  /** The other person's database cannot be used: what was for them is refused. */
  isPeerOut: boolean
  /** All of it is stored or nothing; otherwise a hint goes before a change of two copies. */
  isAtomic: boolean
  /** The other person's copies of these may have been written before the own ones changed under them. */
  touched: ReadonlySet<string>
  /** What the server has forgotten, after a backup was put back. */
  lost: readonly LostSpan[]
  now: number
}

/** What is written for a delivery, and what becomes of each of its proposals. */
export interface DeliveryDecision {
  writes: DatabaseWrite[]
  /** In the order of the groups: a draft for each proposal, and the one that is stored. */
  decided: { each: MessageDraft[]; whole: MessageDraft }[]
  /** New messages with a file of which nobody has looked yet whether it may be shared. */
  unshared: MessageDraft[]
  /** Copies of the other person's that were blanked, and have a file to take away. */
  blanked: MessageDocument[]
}

/** The documents that a delivery has to see. */
export function listParts(delivery: Delivery): Part[] {
  const { actorId, peerId, reach, groups, hasBegun, isPeerOut, isAtomic } = delivery
  const ids = groups.map(({ id }) => id)
  // A device makes ids of the moment: what it calls new has rarely been here.
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
  if (reach === 'unknown_person') return [own, digests]
  if (isPeerOut) return [own, digests, hints]
  const isOther = peerId !== actorId
  return [
    own,
    digests,
    {
      name: ordersDatabase,
      ids: [
        ...(reach === 'held' ? [silencesKey(actorId, peerId)] : []),
        ...listClaimedEntries(delivery),
      ],
    },
    ...(isOther ? [{ name: nameMessagesDatabase(peerId), ids, isNew }] : []),
    ...(isAtomic ? [] : [hints]),
    ...(isOther && isAtomic && !hasBegun ? listConversations(actorId, peerId) : []),
  ]
}

/** A new message can have a star already, and needs no digest else. */
function listNewDigestIds({ actorId, groups }: Delivery): string[] {
  return groups.flatMap(({ id, proposals }) =>
    proposals.some(({ message }) => message?.isStarred) ? [starKey(actorId, id)] : [],
  )
}

function listConversations(actorId: string, peerId: string): Part[] {
  return [
    { name: nameConversationsDatabase(peerId), ids: [actorId] },
    { name: nameConversationsDatabase(actorId), ids: [peerId] },
  ]
}

/**
 * Decides what a delivery writes, in the order of P3: the places, the other person's copies, the own copies, which are
 * the acknowledgement. Digests come before all that they tell of. Where all of it is written at once, the conversations
 * that begin with it are among it.
 */
export function decideDelivery(
  delivery: Delivery,
  read: ReadPart,
  journal: Pick<OrderJournal, 'assignOrder' | 'lastGiven'>,
): DeliveryDecision {
  const { actorId, peerId, reach, isActorFull, groups, isPeerOut, lost, now } = delivery
  const stored = read<MessageDocument>(nameMessagesDatabase(actorId))
  const ruled = groups.map((group) =>
    draftGroup({
      ...{ actorId, group, reach, isActorFull, lost, now, stored: stored.get(group.id) },
      isPeerTouched: delivery.touched.has(group.id),
    }),
  )
  const shared = ruled.map(({ each, whole }) => ({ each, whole: refuseFile(delivery, whole) }))
  const unshared = shared.flatMap(({ whole }) => (isUnshared(delivery, whole) ? [whole] : []))
  if (unshared.length > 0) return { writes: [], decided: [], unshared, blanked: [] }

  const peerCopies = readPeerCopies(delivery, read)
  const placed = givePlaces(
    delivery,
    shared.map(({ whole }) => whole),
    peerCopies,
    { read, journal },
  )
  const drafted = isPeerOut
    ? { put: [], blanked: [], drafts: placed.drafts.map((one) => refuseForPeer(delivery, one)) }
    : draftPeerCopies({ actorId, drafts: placed.drafts, stored: peerCopies, now })
  const decided = shared.map(({ each }, index) => ({
    each,
    whole: must(drafted.drafts[index], 'a draft'),
  }))
  const delivered = drafted.drafts.flatMap(({ effect, next }) =>
    effect === 'deliver' && next ? [next] : [],
  )
  const writes: DatabaseWrite[] = [
    ...digestWrites(delivery, { drafts: drafted.drafts, peerPut: drafted.put, peerCopies }, read),
    ...hintWrites(delivery, placed.drafts),
    { name: ordersDatabase, create: entriesOf(delivery, placed, delivered), ...silences() },
    ...(peerId === undefined || isPeerOut
      ? []
      : [{ name: nameMessagesDatabase(peerId), put: drafted.put }]),
    ownWrite(delivery, drafted.drafts),
    ...beginConversations(delivery, delivered, read),
  ]
  return { writes: writes.filter(isNeeded), decided, unshared: [], blanked: drafted.blanked }

  function silences(): Pick<DatabaseWrite, 'put'> {
    if (peerId === undefined || reach !== 'held' || delivered.length === 0) return {}
    const _id = silencesKey(actorId, peerId)
    const added = delivered.flatMap(({ orderedAt: upTo }) =>
      (['delivered', 'read'] as const).map((status) => ({ status, after: upTo - 1, upTo })),
    )
    const before = read<SilencesDocument>(ordersDatabase).get(_id)
    return { put: [extendSilences(before, { _id, added })] }
  }
}

const isNeeded = ({ put = [], create = [], pushed = [] }: DatabaseWrite) =>
  put.length + create.length + pushed.length > 0

function refuseFile({ actorId, sharedFiles, now }: Delivery, draft: MessageDraft): MessageDraft {
  const { proposal, stored, next, effect } = draft
  // The file may be lost with the rest: its message is not, and shows nobody a file that is not theirs.
  if (isReturned(draft)) return draft
  if (effect !== 'deliver' || !next || sharedFiles.get(proposal.id) !== false) return draft
  const refusal = refuse('media_not_allowed')
  const failed = failMessage({ actorId, stored, proposed: next, refusal, now })
  return { ...draft, next: failed, refusal, effect: 'own' }
}

function isUnshared({ sharedFiles }: Delivery, { proposal, effect, next }: MessageDraft): boolean {
  return effect === 'deliver' && next?.mediaUrl !== undefined && !sharedFiles.has(proposal.id)
}

function readPeerCopies({ actorId, peerId, reach, isPeerOut }: Delivery, read: ReadPart) {
  const isThere = peerId !== undefined && peerId !== actorId && !isPeerOut
  return isThere && reach !== 'unknown_person'
    ? read<MessageDocument>(nameMessagesDatabase(peerId))
    : new Map<string, MessageDocument>()
}

/** New messages get their places in the order in which their author saw them while they waited. */
function givePlaces(
  delivery: Delivery,
  drafts: readonly MessageDraft[],
  peerCopies: ReadonlyMap<string, MessageDocument>,
  { read, journal }: { read: ReadPart; journal: Pick<OrderJournal, 'assignOrder' | 'lastGiven'> },
) {
  const { actorId, peerId, reach } = delivery
  const places = new Map<string, number>()
  const wanted = drafts.flatMap(({ effect, next }) => (effect === 'deliver' && next ? [next] : []))
  const returned = new Set(drafts.filter(isReturned).map(({ proposal }) => proposal.id))
  for (const message of wanted.sort(byPlaceWanted)) {
    const { _id, recipientId } = message
    const copy = reach === 'delivered' ? peerCopies.get(_id) : undefined
    const kept = returned.has(_id)
      ? findKeptPlace({ delivery, message, copy, read, journal, taken: new Set(places.values()) })
      : undefined
    if (kept) {
      if (!kept.isEntered) places.set(_id, kept.orderedAt)
      continue
    }
    // An earlier try, of which only the other person's copy is left, has given it its place.
    if (copy?.senderId === actorId && copy.recipientId === recipientId) continue
    places.set(_id, journal.assignOrder(actorId, must(peerId, 'a recipient')))
  }
  return {
    places,
    drafts: drafts.map((draft): MessageDraft => {
      const orderedAt = places.get(draft.proposal.id)
      return draft.next && orderedAt !== undefined
        ? { ...draft, next: { ...draft.next, orderedAt } }
        : draft
    }),
  }
}

function byPlaceWanted(a: MessageDocument, b: MessageDocument): number {
  return a.orderedAt - b.orderedAt || a.createdAt - b.createdAt || (a._id < b._id ? -1 : 1)
}

function entriesOf(
  { reach, isAtomic }: Delivery,
  { places }: { places: ReadonlyMap<string, number> },
  delivered: readonly MessageDocument[],
) {
  const kind = { isHeld: reach === 'held', isWhole: isAtomic }
  return delivered.flatMap((message) =>
    places.has(message._id) ? [toOrderEntry(message, kind)] : [],
  )
}

function digestWrites(
  { actorId, peerId, isAtomic }: Delivery,
  decided: {
    drafts: readonly MessageDraft[]
    peerPut: readonly MessageDocument[]
    peerCopies: ReadonlyMap<string, MessageDocument>
  },
  read: ReadPart,
): DatabaseWrite[] {
  if (peerId === undefined) return []
  const { drafts, peerPut, peerCopies } = decided
  const own = drafts.flatMap(({ stored, next, effect }): CopyChange[] =>
    next && effect !== 'none' ? [{ ownerId: actorId, before: stored, after: next }] : [],
  )
  const theirs = peerPut.map((after): CopyChange => {
    return { ownerId: peerId, before: peerCopies.get(after._id), after }
  })
  const changes = [...own, ...theirs]
  const put = draftDigests({ changes, stored: read(digestsDatabase), isAtomic })
  return [{ name: digestsDatabase, put }]
}

function refuseForPeer({ actorId, now }: Delivery, draft: MessageDraft): MessageDraft {
  return isForPeer(draft) ? refuseUnwritten(draft, actorId, now) : draft
}

/**
 * Stored first, so that whatever ends the writing in between finds its end: changes of two copies where they are not
 * written at once; and what could not be written for the other person at all, of which nobody knows whether it was.
 */
function hintWrites(delivery: Delivery, drafts: readonly MessageDraft[]): DatabaseWrite[] {
  const { actorId: authorId, peerId: readerId, isPeerOut, isAtomic } = delivery
  if (readerId === undefined || (isAtomic && !isPeerOut)) return []
  const due = drafts.filter((draft) => {
    if (!isForPeer(draft)) return false
    if (!isPeerOut) return draft.effect === 'amend'
    return draft.effect === 'deliver' || draft.next?.deletedAt !== undefined
  })
  const create = due.map(({ proposal: { id: messageId }, next }) => {
    const deletedAt = next?.deletedAt
    return toMessageHint({
      ...{ authorId, readerId, messageId },
      ...(deletedAt === undefined ? {} : { deletedAt }),
    })
  })
  return [{ name: hintsDatabase, create }]
}

function ownWrite({ actorId, groups }: Delivery, drafts: readonly MessageDraft[]): DatabaseWrite {
  const changed = drafts.filter(({ next, effect }) => next && effect !== 'none')
  const growth = changed.map(
    ({ stored, next }) => weighOwn(actorId, next) - weighOwn(actorId, stored),
  )
  return {
    name: nameMessagesDatabase(actorId),
    put: changed.flatMap(({ next }) => next ?? []),
    tally: growth.reduce((sum, bytes) => sum + bytes, 0),
    pushed: groups.flatMap(({ proposals }) =>
      proposals.flatMap(({ id, revisions, isDeleted }) =>
        revisions ? [{ id, revisions, isDeleted }] : [],
      ),
    ),
  }
}

/** In bytes. What others have sent them is not theirs to answer for (P12). */
function weighOwn(actorId: string, message: MessageDocument | undefined): number {
  return message?.senderId === actorId ? weighDocument(message) : 0
}

function beginConversations(
  { actorId, peerId, reach, hasBegun, isAtomic }: Delivery,
  delivered: readonly MessageDocument[],
  read: ReadPart,
): DatabaseWrite[] {
  const newest = delivered.toSorted((a, b) => b.orderedAt - a.orderedAt)[0]
  if (!newest || !isAtomic || hasBegun || peerId === undefined) return []
  const begin = (ownerId: string, otherId: string): DatabaseWrite => {
    const name = nameConversationsDatabase(ownerId)
    const isThere = read<ConversationDocument>(name).has(otherId)
    return { name, put: isThere ? [] : [beginWith(otherId, newest)] }
  }
  return [...(reach === 'delivered' ? [begin(peerId, actorId)] : []), begin(actorId, peerId)]
}
