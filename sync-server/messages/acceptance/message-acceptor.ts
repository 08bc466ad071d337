import { setImmediate } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { groupBy } from '../../../schema/helpers/group-by.ts'
import { must } from '../../../schema/helpers/must.ts'
import { slicesOf } from '../../../schema/helpers/slices-of.ts'
import type { LostSpan } from '../../../schema/lost-span.ts'
import { areMessagesEqual } from '../../../schema/merge-messages.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import { PersonGone } from '../../access/person-gone.ts'
import type { Reach, Relations } from '../../access/relations.ts'
import { atMost } from '../../lib/at-most.ts'
import { createKeyedBatcher } from '../../lib/keyed-batcher.ts'
import { retryOvertaken } from '../../lib/retry-overtaken.ts'
import { DatabaseGone } from '../../storage/databases/database-gone.ts'
import { nameMessagesDatabase } from '../../storage/databases/database-names.ts'
import { TransactionFailed } from '../../storage/documents/transaction.ts'
import type { Storage } from '../../storage/storage.ts'
import { beginConversations } from '../copies/begin-conversations.ts'
import { type Hint, type Hints, hintsDatabase } from '../copies/hints.ts'
import { type MessageFiles, releaseFile, shareFiles } from '../copies/message-files.ts'
import { isForPeer } from '../copies/peer-copies.ts'
import { digestsDatabase } from '../digests/digest-documents.ts'
import type { OrderEntry } from '../order/order-entry.ts'
import { type OrderJournal, ordersDatabase } from '../order/order-journal.ts'
import type { MessagePrivacy } from '../privacy/message-privacy.ts'
import {
  isGivenBack,
  isReturned,
  type MessageDraft,
  type MessageProposal,
  readMessageProposal,
} from '../proposals/draft-message.ts'
import type { Outcome, Proposal } from '../proposals/proposal.ts'
import { draftGroup, findPeer, groupById } from '../proposals/proposal-group.ts'
import { tellHintedReceipts } from '../receipts/tell-hinted-receipts.ts'
import { tellStandingReceipts } from '../receipts/tell-standing-receipts.ts'
import { type DeliveryDecision, decideDelivery } from './delivery.ts'
import { listParts } from './delivery-parts.ts'
import type { Delivery } from './delivery-types.ts'
import { type OutboxEntry, outboxDatabase } from './outbox-entry.ts'

/**
 * The stages of a write, in order: a crash can follow each. Atomic storage has only the last two.
 */
export type Stage = 'ordered' | 'peer' | 'own' | 'finished'

type Decided = Pick<DeliveryDecision, 'decided' | 'writes' | 'blanked' | 'isBelow'> & {
  delivery: Delivery
  revs: ReadonlyMap<string, string>
}

type Asked = Pick<Delivery, 'actorId' | 'peerId' | 'groups' | 'isActorFull'>

/**
 * The next writer waits for this many of somebody else's messages, not for a thousand. On CouchDB
 * others write meanwhile, and each part costs three requests.
 */
const groupsAtOnce = { inOneStore: 25, onCouchdb: 100 }
const proposalsAtOnce = 50
const pairsRemembered = 100_000
const overtaken = {
  tries: 5,
  giveUp: () => new Error('messages changed under every try to write them'),
}

/**
 * The one way in for messages (P4). Batches each person's proposals; writes those to one peer as
 * one transaction: place, peer copy, own copy, which acknowledges (P3). Without atomic storage an
 * unavailable peer blocks nobody else (P6), and their messages stay unacknowledged.
 * @param isFull does this person have no room for anything new?
 * @param listLost what the server lost of a person's data in a restore
 * @param onQueued called with stored messages to send over a business channel
 * @param onStarted called with messages about to be written; calls the returned function after
 * @param onFinished called with the places of complete messages
 * @param onAdded called with two people and how many messages they gained
 * @param onReturned called with two people when a message returns to a place below others
 * @param onError called with the reason why another person's copies could not be written
 * @param onStage for tests of crashes
 */
export function createMessageAcceptor(options: {
  storage: Storage
  journal: OrderJournal
  hints: Hints
  relations: Pick<Relations, 'canReach'>
  privacy: MessagePrivacy
  files: MessageFiles
  isFull: (userId: string) => Promise<boolean>
  listLost: (userId: string) => readonly LostSpan[]
  now: () => number
  onQueued: (entries: readonly OutboxEntry[]) => void
  onStarted: (actorId: string, messageIds: readonly string[]) => () => void
  onFinished: (entries: readonly Pick<OrderEntry, '_id'>[]) => void
  onAdded: (oneId: string, otherId: string, count: number) => void
  onReturned: (oneId: string, otherId: string) => Promise<void>
  onError: (error: unknown) => void
  onStage?: ((stage: Stage) => void | Promise<void>) | undefined
}) {
  const { storage, journal, hints, relations, privacy, files, isFull, listLost, now } = options
  const { onQueued, onStarted, onFinished, onAdded, onReturned, onError, onStage } = options
  const { isAtomic } = storage
  const batcher = createKeyedBatcher<Proposal, Outcome<MessageDocument>>(acceptBatch)
  /** Pairs of sender and recipient whose conversations have both begun. */
  const begun = new LRUCache<string, true>(atMost(pairsRemembered))

  async function acceptBatch(actorId: string, sources: readonly Proposal[]) {
    const proposals = await readProposals(sources)
    if (proposals.length > 0) await requireHere(actorId)
    const isActorFull = proposals.length > 0 && (await isFull(actorId))
    const groups = groupById(proposals)
    const end = onStarted(
      actorId,
      groups.map(({ id }) => id),
    )
    try {
      const done = await Promise.allSettled(
        [...groupBy(groups, findPeer)].map(([peerId, ofPeer]) =>
          deliverAll({ actorId, peerId, groups: ofPeer, isActorFull }),
        ),
      )
      const outcomes = new Map(done.flatMap((each) => [...requireDone(each)]))
      return proposals.map((proposal) => must(outcomes.get(proposal), 'an outcome'))
    } finally {
      end()
    }
  }

  /** Late writes for a departed person must not recreate a database. */
  async function requireHere(actorId: string) {
    if ((await relations.canReach(actorId, actorId)) === 'unknown_person') throw new PersonGone()
  }

  async function deliverAll({ groups, ...asked }: Asked) {
    const outcomes = new Map<MessageProposal, Outcome<MessageDocument>>()
    const atOnce = storage.isAtomic ? groupsAtOnce.inOneStore : groupsAtOnce.onCouchdb
    for (const slice of slicesOf(groups, atOnce)) {
      const delivered = await deliver({ ...asked, groups: slice })
      for (const [proposal, outcome] of delivered) outcomes.set(proposal, outcome)
    }
    return outcomes
  }

  async function deliver(asked: Asked) {
    const { actorId, peerId } = asked
    const reach = await findReach(actorId, peerId)
    const isFirstRefused = await refusesFirst(actorId, peerId, reach)
    const lost = listLost(actorId)
    const isPlaced = reach !== 'unknown_person' || lost.length > 0
    if (peerId !== undefined && isPlaced) await journal.prepare(actorId, peerId)
    const delivery: Delivery = {
      ...asked,
      reach,
      isFirstRefused,
      isAtomic,
      now: now(),
      isPeerOut: false,
      touched: new Set(),
      lost,
      entriesAsked: new Set(),
      sharedFiles: await lookAtFiles({ ...asked, reach, isFirstRefused }),
      hasBegun: begun.has(`${actorId} ${peerId}`),
    }
    const decided = await writeWithPeer(delivery).catch((error: unknown) => {
      // They left since the check.
      const isLeft =
        error instanceof DatabaseGone && error.database !== nameMessagesDatabase(actorId)
      if (!isLeft) throw error
      return writeWithPeer({ ...delivery, reach: 'unknown_person' })
    })
    if (decided.isBelow && peerId !== undefined) await onReturned(actorId, peerId)
    await finish(decided)
    return listOutcomes(decided)
  }

  async function findReach(actorId: string, peerId: string | undefined): Promise<Reach> {
    if (peerId === undefined || peerId === actorId) return 'delivered'
    return await relations.canReach(actorId, peerId)
  }

  /** Asked before a block matters: the answer is the same with one, and reveals none. */
  async function refusesFirst(actorId: string, peerId: string | undefined, reach: Reach) {
    if (peerId === undefined || peerId === actorId) return false
    if (reach !== 'delivered' && reach !== 'held') return false
    return !begun.has(`${actorId} ${peerId}`) && (await privacy.refusesFirst(actorId, peerId))
  }

  /**
   * Shares files before a copy names them, and revokes them before one is blanked: a crash then
   * hides, and never reveals.
   */
  async function lookAtFiles(
    asked: Pick<Delivery, 'actorId' | 'groups' | 'reach' | 'isActorFull' | 'isFirstRefused'>,
  ) {
    const { actorId, groups, reach, isActorFull, isFirstRefused } = asked
    const concerned = groups.filter(({ proposals }) =>
      proposals.some(({ message }) => message?.mediaUrl ?? message?.deletedAt),
    )
    if (concerned.length === 0) return new Map<string, boolean>()
    const own = storage.database<MessageDocument>(nameMessagesDatabase(actorId))
    const stored = await own.read(concerned.map(({ id }) => id))
    const drafts = concerned.map((group) => {
      const { _rev, ...before } = stored.get(group.id) ?? { _rev: '' }
      const isThere = stored.has(group.id)
      return draftGroup({
        actorId,
        group,
        reach,
        isActorFull,
        isFirstRefused,
        now: now(),
        isPeerTouched: false,
        lost: listLost(actorId),
        stored: isThere ? (before as MessageDocument) : undefined,
      }).whole
    })
    return await shareFiles(files, drafts)
  }

  /** After a dropped connection to the other person's database the second try succeeds. */
  async function writeWithPeer(delivery: Delivery): Promise<Decided> {
    try {
      return await write(delivery).catch((error: unknown) => {
        if (isOfPeer(error, delivery)) return write(delivery)
        throw error
      })
    } catch (error) {
      if (!isOfPeer(error, delivery)) throw error
      onError(error)
      const decided = await write({ ...delivery, isPeerOut: true })
      hints.announce()
      return decided
    }
  }

  async function write(delivery: Delivery): Promise<Decided> {
    const touched = new Set(delivery.touched)
    const blanked = new Map<string, MessageDocument>()
    let { sharedFiles, entriesAsked } = delivery
    return await retryOvertaken(async () => {
      const known = { ...delivery, sharedFiles, entriesAsked }
      const { result, revs } = await writeOnce(known, { touched, blanked })
      if (result.unshared.length + result.unseen.length === 0) {
        return { ...result, delivery, revs: revs(nameMessagesDatabase(delivery.actorId)) }
      }
      const looked = await shareFiles(files, result.unshared)
      sharedFiles = new Map([...sharedFiles, ...looked])
      entriesAsked = new Set([...entriesAsked, ...result.unseen])
      return 'again'
    }, overtaken)
  }

  async function writeOnce(
    delivery: Delivery,
    { touched, blanked }: { touched: Set<string>; blanked: Map<string, MessageDocument> },
  ) {
    const { actorId, peerId } = delivery
    const made: { decision?: DeliveryDecision } = {}
    const { result, revs } = await storage.transact<DeliveryDecision>({
      parts: listParts(delivery),
      decide(read) {
        // If it begins again, the earlier decision may have been written in part.
        for (const { whole } of made.decision?.decided ?? []) {
          if (isForPeer(whole)) touched.add(whole.proposal.id)
        }
        for (const copy of made.decision?.blanked ?? []) blanked.set(copy._id, copy)
        made.decision = decideDelivery({ ...delivery, touched }, read, journal)
        const { writes, unchanged } = made.decision
        return { writes, unchanged, result: made.decision }
      },
      async onChanged(name) {
        if (name === ordersDatabase && peerId) await journal.refresh(actorId, peerId)
      },
      onWritten: (name) => onStage?.(stageOf(name, delivery)),
    })
    // A copy blanked by the first try no longer names its file.
    const isDeleted = ({ whole }: Decided['decided'][number]) => whole.next?.deletedAt !== undefined
    for (const one of result.decided.filter(isDeleted)) {
      const copy = blanked.get(one.whole.proposal.id)
      if (copy && !result.blanked.some(({ _id }) => _id === copy._id)) result.blanked.push(copy)
    }
    return { result, revs }
  }

  /** The copies are written: the follow-ups may come later and undo nothing. */
  async function finish({ delivery, decided, writes, blanked }: Decided) {
    if (isAtomic) await onStage?.('own')
    const created = writes.find(({ name }) => name === hintsDatabase)?.create ?? []
    const entries = writes.find(({ name }) => name === ordersDatabase)?.create ?? []
    journal.recordGiven(entries as OrderEntry[])
    try {
      for (const copy of blanked) await releaseFile(files, copy)
      // Its file may have returned during the write, before anybody shared it.
      const returned = decided.map(({ whole }) => whole).filter(isReturned)
      if (returned.length > 0) await shareFiles(files, returned)
      await begin(
        delivery,
        decided.map(({ whole }) => whole),
      )
      // Keep the hint of what could not be written for the other person.
      if (!delivery.isPeerOut) await hints.remove(created as Hint[])
    } catch (error) {
      onError(error)
    }
    onFinished(entries)
    const queued = writes.find(({ name }) => name === outboxDatabase)?.put ?? []
    if (queued.length > 0) onQueued(queued as OutboxEntry[])
    if (delivery.peerId) onAdded(delivery.actorId, delivery.peerId, entries.length)
    await onStage?.('finished')
  }

  async function begin(delivery: Delivery, drafts: readonly MessageDraft[]) {
    const { actorId: authorId, peerId: readerId, reach, hasBegun } = delivery
    if (readerId === undefined) return
    const found = drafts.find(({ effect, next }) => effect === 'deliver' && next)?.next
    const first = hasBegun ? undefined : found
    if (first && !isAtomic) {
      const pair = { authorId, readerId, message: first, isHeld: reach !== 'delivered' }
      await beginConversations({ storage, ...pair }).catch(async (error: unknown) => {
        await hints.addMessages([{ authorId, readerId, messageId: first._id }])
        throw error
      })
    }
    // In one store both begin together, but after a restore the reader's marks may return first.
    const mayBeTold = (first && !isAtomic) || drafts.some((draft) => isGivenBack(draft, delivery))
    if (mayBeTold && reach !== 'channel') await tellReceiptsOf(authorId, readerId)
    const isBegun = first && (reach === 'delivered' || reach === 'channel')
    if (isBegun) begun.set(`${authorId} ${readerId}`, true)
  }

  /** The reader may have read it before its author's conversation began. */
  async function tellReceiptsOf(authorId: string, readerId: string) {
    await tellStandingReceipts({ storage, relations, privacy, authorId, readerId, now })
    const hint = await hints.findReceipts(authorId, readerId)
    if (!hint) return
    await tellHintedReceipts({ storage, relations, privacy, marks: hint, now })
    await hints.remove([hint])
  }

  return {
    /** Accepts or refuses each proposal, as `actorId`; returns outcomes in their order. */
    acceptMessages: (request: { actorId: string; proposals: readonly Proposal[] }) =>
      batcher.add(request.actorId, request.proposals),
    /** Resolves when no write is running. */
    settle: () => batcher.settle(),
  }
}

/** Yields to others between pieces of a large push. */
async function readProposals(sources: readonly Proposal[]): Promise<MessageProposal[]> {
  const proposals: MessageProposal[] = []
  for (const slice of slicesOf(sources, proposalsAtOnce)) {
    if (proposals.length > 0) await setImmediate()
    proposals.push(...slice.map(readMessageProposal))
  }
  return proposals
}

function requireDone<Value>(settled: PromiseSettledResult<Value>): Value {
  if (settled.status === 'rejected') throw settled.reason
  return settled.value
}

function isOfPeer(error: unknown, { actorId, peerId }: Delivery): boolean {
  const isOther = peerId !== undefined && peerId !== actorId
  return (
    isOther && error instanceof TransactionFailed && error.database === nameMessagesDatabase(peerId)
  )
}

function stageOf(name: string, { actorId }: Delivery): Stage {
  if (name === nameMessagesDatabase(actorId)) return 'own'
  const isBefore = [digestsDatabase, hintsDatabase, ordersDatabase].includes(name)
  return isBefore ? 'ordered' : 'peer'
}

/** The final stored version answers each proposal; `isTaken` is individual. */
function listOutcomes({ decided, revs }: Decided) {
  return decided.flatMap(({ each, whole }) =>
    each.map((draft, index) => {
      const { next, refusal } = index === each.length - 1 ? whole : draft
      const { proposal, stored, effect } = draft
      const rev = revs.get(proposal.id)
      if (!whole.next || !next || rev === undefined) {
        return [proposal, { kind: 'absent', id: proposal.id }] as const
      }
      const isSame = proposal.message !== undefined && areMessagesEqual(next, proposal.message)
      const isChanged = effect !== 'none' && !(stored && areMessagesEqual(stored, next))
      const outcome: Outcome<MessageDocument> = {
        kind: 'stored',
        id: proposal.id,
        rev,
        doc: whole.next,
        isNew: !stored,
        isTaken: isSame || (!refusal && isChanged),
        ...(refusal ? { refusal } : {}),
      }
      return [proposal, outcome] as const
    }),
  )
}
