import type { ConversationDocument } from '../../../schema/conversation.ts'
import { failMessage } from '../../../schema/decide-message.ts'
import { must } from '../../../schema/helpers/must.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import { refuse } from '../../../schema/refusal.ts'
import {
  nameConversationsDatabase,
  nameMessagesDatabase,
} from '../../storage/databases/database-names.ts'
import type { Document } from '../../storage/documents/documents.ts'
import type { DatabaseWrite, ReadPart } from '../../storage/documents/transaction.ts'
import { beginWith } from '../copies/begin-conversations.ts'
import { hintsDatabase, toMessageHint } from '../copies/hints.ts'
import { draftPeerCopies, isForPeer, refuseUnwritten } from '../copies/peer-copies.ts'
import { weighDocument } from '../copies/weigh-document.ts'
import { digestsDatabase, generationKey, nextGeneration } from '../digests/digest-documents.ts'
import { type CopyChange, draftDigests } from '../digests/digest-writes.ts'
import { type OrderJournal, ordersDatabase } from '../order/order-journal.ts'
import { isReturned, isTakenBack, type MessageDraft } from '../proposals/message-draft.ts'
import { draftGroup } from '../proposals/proposal-group.ts'
import { extendSilences, type SilencesDocument, silencesKey } from '../receipts/peer-silences.ts'
import type { Delivery } from './delivery-types.ts'
import { givePlaces, listEntries } from './given-places.ts'
import { type OutboxEntry, outboxDatabase, outboxEntryKey } from './outbox-entry.ts'

/** What to write for a delivery, and the outcome of each of its proposals. */
export interface DeliveryDecision {
  writes: DatabaseWrite[]
  /** The other person's copies that need no write, or are missing. */
  unchanged: { name: string; ids: string[] }[]
  /** In the order of the groups: a draft for each proposal, and the final one to store. */
  decided: { each: MessageDraft[]; whole: MessageDraft }[]
  /** New messages with a file whose sharing is not checked yet. */
  unshared: MessageDraft[]
  /** Unread journal entries that decide whether a copy's place counts. */
  unseen: string[]
  /** A message gets a place below others: the conversation's tallies are void. */
  isBelow: boolean
  /** The other person's copies that were blanked, and have a file to remove. */
  blanked: MessageDocument[]
}

/**
 * Decides what a delivery writes, in the order of P3: places, peer copies, own copies (the
 * acknowledgement). Digests precede everything they describe. Where storage is atomic, includes the
 * conversations that begin with it.
 */
export function decideDelivery(
  delivery: Delivery,
  read: ReadPart,
  journal: Pick<OrderJournal, 'assignOrder' | 'lastGiven'>,
): DeliveryDecision {
  const { actorId, peerId, reach, isActorFull, groups, isPeerOut, lost, now } = delivery
  const { isFirstRefused, touched } = delivery
  const stored = read<MessageDocument>(nameMessagesDatabase(actorId))
  const ruled = groups.map((group) =>
    draftGroup({
      actorId,
      group,
      reach,
      isActorFull,
      isFirstRefused,
      lost,
      now,
      stored: stored.get(group.id),
      isPeerTouched: touched.has(group.id),
    }),
  )
  const shared = ruled.map(({ each, whole }) => ({ each, whole: refuseFile(delivery, whole) }))
  const unshared = shared.flatMap(({ whole }) => (isUnshared(delivery, whole) ? [whole] : []))
  const nothing = {
    writes: [],
    unchanged: [],
    decided: [],
    blanked: [],
    unseen: [],
    isBelow: false,
  }
  if (unshared.length > 0) return { ...nothing, unshared }

  const peerCopies = readPeerCopies(delivery, read)
  const placed = givePlaces(
    delivery,
    shared.map(({ whole }) => whole),
    peerCopies,
    { read, journal },
  )
  if (placed.unseen.length > 0) return { ...nothing, unshared, unseen: placed.unseen }
  const drafted = isPeerOut
    ? { put: [], blanked: [], drafts: placed.drafts.map((one) => refuseForPeer(delivery, one)) }
    : draftPeerCopies({ actorId, drafts: placed.drafts, stored: peerCopies, touched, now })
  const decided = shared.map(({ each }, index) => ({
    each,
    whole: must(drafted.drafts[index], 'a draft'),
  }))
  const delivered = drafted.drafts.flatMap(({ effect, next }) =>
    effect === 'deliver' && next ? [next] : [],
  )
  const { isBelow } = placed
  const digested = { drafts: drafted.drafts, peerPut: drafted.put, peerCopies, isBelow }
  const writes: DatabaseWrite[] = [
    ...digestWrites(delivery, digested, read),
    ...hintWrites(delivery, placed.drafts),
    {
      name: ordersDatabase,
      create: listEntries(delivery, placed.places, drafted.drafts),
      ...silences(),
    },
    ...outboxWrites(delivery, drafted.drafts, read),
    ...(peerId === undefined || isPeerOut || reach === 'channel'
      ? []
      : [{ name: nameMessagesDatabase(peerId), put: drafted.put, tally: -placed.released }]),
    ownWrite(delivery, drafted.drafts),
    ...beginConversations(delivery, delivered, read),
  ]
  const { blanked } = drafted
  const unchanged = listUnchanged(delivery, drafted)
  const wanting = { unshared: [], unseen: [] }
  return { writes: writes.filter(isNeeded), unchanged, decided, ...wanting, blanked, isBelow }

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

const isNeeded = ({ put = [], create = [], pushed = [], tally = 0 }: DatabaseWrite) =>
  put.length + create.length + pushed.length > 0 || tally !== 0

function refuseFile({ actorId, sharedFiles, now }: Delivery, draft: MessageDraft): MessageDraft {
  const { proposal, stored, next, effect } = draft
  // The file may be lost too: keep the message, which reveals no file of others.
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
  return isThere && reach !== 'unknown_person' && reach !== 'channel'
    ? read<MessageDocument>(nameMessagesDatabase(peerId))
    : new Map<string, MessageDocument>()
}

/** Stored with the message: it goes out once, whatever ends the server. */
function outboxWrites(
  { actorId: ownerId, reach, now }: Delivery,
  drafts: readonly MessageDraft[],
  read: ReadPart,
): DatabaseWrite[] {
  if (reach !== 'channel') return []
  const known = read<Document>(outboxDatabase)
  const put = drafts.flatMap(({ next, effect }): OutboxEntry[] => {
    if (effect !== 'deliver' || next?.waState !== 'queued' || next.senderId !== ownerId) return []
    const { _id: messageId, attempt, recipientId: contactId, orderedAt } = next
    const _id = outboxEntryKey({ ownerId, messageId, attempt })
    const begin = { orderedAt, state: 'due' as const, dueAt: now, tries: 0, since: now }
    return known.has(_id) ? [] : [{ _id, ownerId, contactId, messageId, attempt, ...begin }]
  })
  return [{ name: outboxDatabase, put }]
}

function digestWrites(
  { actorId, peerId, isAtomic }: Delivery,
  decided: {
    drafts: readonly MessageDraft[]
    peerPut: readonly MessageDocument[]
    peerCopies: ReadonlyMap<string, MessageDocument>
    isBelow: boolean
  },
  read: ReadPart,
): DatabaseWrite[] {
  if (peerId === undefined) return []
  const { drafts, peerPut, peerCopies, isBelow } = decided
  const own = drafts.flatMap(({ stored, next, effect }): CopyChange[] =>
    next && effect !== 'none' ? [{ ownerId: actorId, before: stored, after: next }] : [],
  )
  const theirs = peerPut.map((after): CopyChange => {
    return { ownerId: peerId, before: peerCopies.get(after._id), after }
  })
  const changes = [...own, ...theirs]
  const stored = read<Document>(digestsDatabase)
  const put = draftDigests({ changes, stored, isAtomic })
  const voided = isBelow ? [nextGeneration(generationKey(actorId, peerId), stored)] : []
  return [{ name: digestsDatabase, put: [...put, ...voided] }]
}

/**
 * After a crash between the copies their author may complete one while their reader changes the
 * other: neither writes what the other reads.
 */
function listUnchanged(
  { actorId, peerId, isPeerOut }: Delivery,
  { drafts, put }: { drafts: readonly MessageDraft[]; put: readonly MessageDocument[] },
): { name: string; ids: string[] }[] {
  if (peerId === undefined || peerId === actorId || isPeerOut) return []
  const written = new Set(put.map(({ _id }) => _id))
  const ids = drafts.filter(isForPeer).map(({ proposal }) => proposal.id)
  const left = ids.filter((id) => !written.has(id))
  return left.length > 0 ? [{ name: nameMessagesDatabase(peerId), ids: left }] : []
}

function refuseForPeer({ actorId, now }: Delivery, draft: MessageDraft): MessageDraft {
  return isForPeer(draft) ? refuseUnwritten(draft, actorId, now) : draft
}

/**
 * Hints stored first, so that whatever interrupts the writing can be completed: changes of two
 * copies without atomic storage, and what could not be written for the other person, whose outcome
 * is unknown.
 */
function hintWrites(delivery: Delivery, drafts: readonly MessageDraft[]): DatabaseWrite[] {
  const { actorId, peerId, isPeerOut, isAtomic } = delivery
  if (peerId === undefined || (isAtomic && !isPeerOut)) return []
  const due = drafts.filter((draft) => {
    if (!isForPeer(draft)) return false
    if (!isPeerOut) return draft.effect === 'amend'
    return draft.effect === 'deliver' || draft.next?.deletedAt !== undefined
  })
  const create = due.map(({ proposal: { id: messageId }, next }) => {
    const deletedAt = next?.deletedAt
    // Its reader may react to it: the heal completes the author's message to that reader all the
    // same.
    const isReaders = next !== undefined && next.senderId !== actorId
    const pair = isReaders
      ? { authorId: peerId, readerId: actorId }
      : { authorId: actorId, readerId: peerId }
    return toMessageHint({
      ...pair,
      messageId,
      ...(deletedAt === undefined ? {} : { deletedAt }),
    })
  })
  return [{ name: hintsDatabase, create }]
}

function ownWrite({ actorId, groups }: Delivery, drafts: readonly MessageDraft[]): DatabaseWrite {
  const changed = drafts.filter(({ next, effect }) => next && effect !== 'none')
  const growth = changed.map((draft) =>
    // Counts for the person who gave it back, until its author does.
    isTakenBack(draft)
      ? weighDocument(draft.next)
      : weighOwn(actorId, draft.next) - weighOwn(actorId, draft.stored),
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

/** In bytes. Messages from others count for those others (P12). */
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
