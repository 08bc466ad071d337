import type { ConversationDocument } from '../../../schema/conversation.ts'
import { failMessage } from '../../../schema/decide-message.ts'
import { must } from '../../../schema/helpers/assertions.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import { refuse } from '../../../schema/refusal.ts'
import { retryOvertaken } from '../../lib/retry-overtaken.ts'
import {
  nameConversationsDatabase,
  nameMessagesDatabase,
} from '../../storage/documents/database-names.ts'
import type { Document } from '../../storage/documents/documents.ts'
import {
  type DatabaseWrite,
  type Part,
  type ReadPart,
  TransactionFailed,
} from '../../storage/documents/transaction.ts'
import type { Storage } from '../../storage/storage.ts'
import { beginWith } from '../copies/begin-conversations.ts'
import { type Hints, hintsDatabase, toMessageHint } from '../copies/hints.ts'
import { type MessageFiles, shareFiles } from '../copies/message-files.ts'
import {
  conversationKey,
  type OrderEntry,
  orderEntryKey,
  toOrderEntry,
} from '../copies/order-entry.ts'
import { type OrderJournal, ordersDatabase } from '../copies/order-journal.ts'
import { draftPeerCopies, isForPeer, refuseUnwritten } from '../copies/peer-copies.ts'
import { extendSilences, type SilencesDocument, silencesKey } from '../copies/tell-marks.ts'
import { weighDocument } from '../copies/weigh-document.ts'
import {
  type CopyChange,
  digestsDatabase,
  draftDigests,
  generationKey,
  listDigestIds,
  nextGeneration,
  starKey,
} from '../digests/digest-documents.ts'
import { isReturned, isTakenBack, type MessageDraft } from '../proposals/message-draft.ts'
import { draftGroup } from '../proposals/proposal-group.ts'
import type { Delivery, Stage } from './delivery-types.ts'
import { type OutboxEntry, outboxDatabase, outboxEntryKey } from './outbox-entry.ts'
import {
  findKeptPlace,
  findOwnEntry,
  type KeptPlace,
  listClaimedEntries,
  mayComeBelow,
} from './returned-places.ts'

const isNeeded = ({ put = [], create = [], pushed = [], tally = 0 }: DatabaseWrite) =>
  put.length + create.length + pushed.length > 0 || tally !== 0

/** What a delivery has written. */
export interface WrittenDelivery
  extends Pick<DeliveryDecision, 'decided' | 'writes' | 'blanked' | 'isBelow'> {
  delivery: Delivery
  /** The revisions of the actor's copies. */
  revs: ReadonlyMap<string, string>
}

const overtaken = {
  // Files to share, places to read and an unavailable database take some of them.
  tries: 8,
  giveUp: () => new Error('messages changed under every try to write them'),
}

/**
 * Writes deliveries, each as one transaction; without the peer's copies while that person's
 * database is unavailable.
 * @param onError called with the reason why another person's copies could not be written
 * @param onStage for tests of crashes
 */
export function createDeliveryWriter(options: {
  storage: Storage
  journal: OrderJournal
  hints: Hints
  files: MessageFiles
  onError: (error: unknown) => void
  onStage?: ((stage: Stage) => void | Promise<void>) | undefined
}) {
  const { storage, journal, hints, files, onError, onStage } = options

  return async function writeDelivery(delivery: Delivery): Promise<WrittenDelivery> {
    const { actorId, peerId } = delivery
    const touched = new Set(delivery.touched)
    const blanked = new Map<string, MessageDocument>()
    let { sharedFiles, entriesAsked } = delivery
    let peerFailures = 0
    return await retryOvertaken(async () => {
      // After a dropped connection to the other person's database the second try succeeds.
      const isPeerOut = peerFailures === 2
      const known = { ...delivery, touched, sharedFiles, entriesAsked, isPeerOut }
      let decision: DeliveryDecision | undefined
      const written = await storage
        .transact<DeliveryDecision>({
          parts: listParts(known),
          decide(read) {
            // If it begins again, the earlier decision may have been written in part.
            for (const { whole } of decision?.decided ?? []) {
              if (isForPeer(whole)) touched.add(whole.proposal.id)
            }
            for (const copy of decision?.blanked ?? []) blanked.set(copy._id, copy)
            decision = decideDelivery(known, read, journal)
            return { writes: decision.writes, unchanged: decision.unchanged, result: decision }
          },
          async onChanged(name) {
            if (name === ordersDatabase && peerId) await journal.refresh(actorId, peerId)
          },
          onWritten: (name) => onStage?.(stageOf(name, delivery)),
        })
        .catch((error: unknown) => {
          if (!isOfPeer(error, known)) throw error
          peerFailures += 1
          if (peerFailures === 2) onError(error)
        })
      if (!written) return 'again'
      const { result, revs } = written
      if (result.unshared.length + result.unseen.length === 0) {
        if (isPeerOut) hints.announce()
        const all = [...result.blanked, ...listBlankedBefore(result, blanked)]
        return {
          ...result,
          blanked: all,
          delivery: known,
          revs: revs(nameMessagesDatabase(actorId)),
        }
      }
      const looked = await shareFiles(files, result.unshared)
      sharedFiles = new Map([...sharedFiles, ...looked])
      entriesAsked = new Set([...entriesAsked, ...result.unseen])
      return 'again'
    }, overtaken)
  }
}

/** A copy blanked by an earlier try no longer names its file. */
function listBlankedBefore(
  { decided, blanked }: DeliveryDecision,
  before: ReadonlyMap<string, MessageDocument>,
): MessageDocument[] {
  const deleted = decided.filter(({ whole }) => whole.next?.deletedAt !== undefined)
  const copies = deleted.flatMap(({ whole }) => before.get(whole.proposal.id) ?? [])
  return copies.filter((copy) => !blanked.some(({ _id }) => _id === copy._id))
}

function isOfPeer(error: unknown, { actorId, peerId, isPeerOut }: Delivery): boolean {
  const isOther = peerId !== undefined && peerId !== actorId && !isPeerOut
  return (
    isOther && error instanceof TransactionFailed && error.database === nameMessagesDatabase(peerId)
  )
}

function stageOf(name: string, { actorId }: Delivery): Stage {
  if (name === nameMessagesDatabase(actorId)) return 'own'
  const isBefore = [digestsDatabase, hintsDatabase, ordersDatabase].includes(name)
  return isBefore ? 'ordered' : 'peer'
}

/** The documents that a delivery must read. */
function listParts(delivery: Delivery): Part[] {
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

/** What to write for a delivery, and the outcome of each of its proposals. */
interface DeliveryDecision {
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
function decideDelivery(
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
function givePlaces(
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
function listEntries(
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
