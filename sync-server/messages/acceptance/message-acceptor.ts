import { LRUCache } from 'lru-cache'
import { must } from '../../../schema/helpers/assertions.ts'
import { groupBy, slicesOf } from '../../../schema/helpers/lists.ts'
import { areMessagesEqual } from '../../../schema/merge-messages.ts'
import { isAccepted, type LostSpan, type MessageDocument } from '../../../schema/message.ts'
import { clampTimes } from '../../../schema/permit-message-change.ts'
import { PersonGone } from '../../access/account-documents.ts'
import type { Reach, Relations } from '../../access/relations.ts'
import { atMost } from '../../lib/at-most.ts'
import { createKeyedBatcher } from '../../lib/keyed-batcher.ts'
import { mapInTurns } from '../../lib/map-in-turns.ts'
import { nameMessagesDatabase } from '../../storage/documents/database-names.ts'
import { DatabaseGone } from '../../storage/documents/storage-errors.ts'
import type { Storage } from '../../storage/storage.ts'
import { beginConversations } from '../copies/begin-conversations.ts'
import { type Hint, type Hints, hintsDatabase } from '../copies/hints.ts'
import { type MessageFiles, releaseFile, shareFiles } from '../copies/message-files.ts'
import type { OrderEntry } from '../copies/order-entry.ts'
import { type OrderJournal, ordersDatabase } from '../copies/order-journal.ts'
import { tellHintedReceipts, tellStandingReceipts } from '../copies/tell-marks.ts'
import {
  isGivenBack,
  isReturned,
  type MessageDraft,
  type MessageProposal,
  readMessageProposal,
} from '../proposals/message-draft.ts'
import {
  type AcceptanceListener,
  type AcceptRequest,
  clockSlackMs,
  type MessagePrivacy,
  type Outcome,
  type Proposal,
} from '../proposals/proposal.ts'
import { draftGroup, findPeer, groupById } from '../proposals/proposal-group.ts'
import { createDeliveryWriter, type WrittenDelivery } from './delivery.ts'
import type { Delivery, Stage } from './delivery-types.ts'
import { type OutboxEntry, outboxDatabase } from './outbox-entry.ts'

const pairsRemembered = 100_000

type Asked = Pick<Delivery, 'actorId' | 'peerId' | 'groups' | 'isActorFull'>

/**
 * The next writer waits for this many of somebody else's messages, not for a thousand. On CouchDB
 * others write meanwhile, and each part costs three requests.
 */
const atOnce = { inOneStore: 25, onCouchdb: 100 }

/**
 * The one way in for messages (P4). Batches each person's proposals; writes those to one peer as
 * one transaction: place, peer copy, own copy, which acknowledges (P3). Without atomic storage an
 * unavailable peer blocks nobody else (P6), and their messages stay unacknowledged.
 * @param isFull does this person have no room for anything new?
 * @param listLost what the server lost of a person's data in a restore
 * @param onQueued called with stored messages to send over a business channel
 * @param onStarted called with messages about to be written; calls the returned function after
 * @param onFinished called with the places of complete messages
 * @param onAccepted called with each request and its outcomes
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
  onAccepted: AcceptanceListener['onMessages']
  onAdded: (oneId: string, otherId: string, count: number) => void
  onReturned: (oneId: string, otherId: string) => Promise<void>
  onError: (error: unknown) => void
  onStage?: ((stage: Stage) => void | Promise<void>) | undefined
}) {
  const { storage, journal, relations, privacy, files, isFull, listLost, now } = options
  const { onStarted, onReturned, onAccepted } = options
  const { isAtomic } = storage
  const groupsAtOnce = isAtomic ? atOnce.inOneStore : atOnce.onCouchdb
  const batcher = createKeyedBatcher<Proposal, Outcome<MessageDocument>>(acceptBatch)
  const writeDelivery = createDeliveryWriter(options)
  const { hasBegun, finish } = createDeliveryFinisher(options)

  async function acceptBatch(actorId: string, sources: readonly Proposal[]) {
    const proposals = await mapInTurns(sources, readMessageProposal)
    if (proposals.length > 0) await requireHere(actorId)
    const isActorFull = proposals.length > 0 && (await isFull(actorId))
    const groups = groupById(proposals)
    const end = onStarted(
      actorId,
      groups.map(({ id }) => id),
    )
    try {
      const done = await Promise.allSettled(
        [...groupBy(groups, findPeer)].map(async ([peerId, ofPeer]) => {
          const outcomes: ReturnType<typeof listOutcomes> = []
          for (const slice of slicesOf(ofPeer, groupsAtOnce)) {
            outcomes.push(...(await deliver({ actorId, peerId, groups: slice, isActorFull })))
          }
          return outcomes
        }),
      )
      const outcomes = new Map(done.flatMap(requireDone))
      return proposals.map((proposal) => must(outcomes.get(proposal), 'an outcome'))
    } finally {
      end()
    }
  }

  /** Late writes for a departed person must not recreate a database. */
  async function requireHere(actorId: string) {
    if ((await relations.canReach(actorId, actorId)) === 'unknown_person') throw new PersonGone()
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
      hasBegun: peerId !== undefined && hasBegun(actorId, peerId),
    }
    const decided = await writeDelivery(delivery).catch((error: unknown) => {
      // They left since the check.
      const isLeft =
        error instanceof DatabaseGone && error.database !== nameMessagesDatabase(actorId)
      if (!isLeft) throw error
      return writeDelivery({ ...delivery, reach: 'unknown_person' })
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
    return !hasBegun(actorId, peerId) && (await privacy.refusesFirst(actorId, peerId))
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

  return {
    /** Accepts or refuses each proposal, as `actorId`; returns outcomes in their order. */
    async acceptMessages(request: AcceptRequest) {
      const outcomes = await batcher.add(request.actorId, request.proposals)
      onAccepted({ ...request, outcomes })
      return outcomes
    },
    /** Resolves when no write is running. */
    settle: () => batcher.settle(),
  }
}

function requireDone<Value>(settled: PromiseSettledResult<Value>): Value {
  if (settled.status === 'rejected') throw settled.reason
  return settled.value
}

/** The final stored version answers each proposal; `isTaken` is individual. */
function listOutcomes({
  decided,
  revs,
  delivery,
}: WrittenDelivery): [MessageProposal, Outcome<MessageDocument>][] {
  return decided.flatMap(({ each, whole }) =>
    each.map((draft, index): [MessageProposal, Outcome<MessageDocument>] => {
      const { next, refusal } = index === each.length - 1 ? whole : draft
      const { proposal, stored, effect } = draft
      const rev = revs.get(proposal.id)
      if (!whole.next || !next || rev === undefined) {
        return [proposal, { kind: 'absent', id: proposal.id }]
      }
      const isSame = proposal.message !== undefined && areMessagesEqual(next, proposal.message)
      const isChanged = effect !== 'none' && !(stored && areMessagesEqual(stored, next))
      const isClamped =
        !isSame &&
        proposal.message !== undefined &&
        !areMessagesEqual(
          clampTimes(proposal.message, delivery.now + clockSlackMs),
          proposal.message,
        )
      const outcome: Outcome<MessageDocument> = {
        kind: 'stored',
        id: proposal.id,
        rev,
        doc: whole.next,
        isNew: !stored,
        isTaken: isSame || (!refusal && isChanged),
        ...(isClamped && { isClamped }),
        ...(refusal ? { refusal } : {}),
      }
      return [proposal, outcome]
    }),
  )
}

/** Has the other person this author's message, by this delivery or by an earlier one? */
function isDelivered({ effect, next, reach }: MessageDraft, authorId: string): boolean {
  if (!next) return false
  if (effect === 'deliver') return true
  const isStanding = effect === 'none' || effect === 'amend'
  return isStanding && reach === 'delivered' && next.senderId === authorId && isAccepted(next)
}

/**
 * Completes written deliveries: releases files, begins conversations, tells receipts, removes hints.
 * @param onQueued called with stored messages to send over a business channel
 * @param onFinished called with the places of complete messages
 * @param onAdded called with two people and how many messages they gained
 */
function createDeliveryFinisher(options: {
  storage: Storage
  journal: OrderJournal
  hints: Hints
  relations: Pick<Relations, 'canReach'>
  privacy: MessagePrivacy
  files: MessageFiles
  now: () => number
  onQueued: (entries: readonly OutboxEntry[]) => void
  onFinished: (entries: readonly Pick<OrderEntry, '_id'>[]) => void
  onAdded: (oneId: string, otherId: string, count: number) => void
  onError: (error: unknown) => void
  onStage?: ((stage: Stage) => void | Promise<void>) | undefined
}) {
  const { storage, journal, hints, relations, privacy, files, now } = options
  const { onQueued, onFinished, onAdded, onError, onStage } = options
  const { isAtomic } = storage
  /** Pairs of sender and recipient whose conversations have both begun. */
  const begun = new LRUCache<string, true>(atMost(pairsRemembered))

  /** The copies are written: the follow-ups may come later and undo nothing. */
  async function finish({ delivery, decided, writes, blanked }: WrittenDelivery) {
    if (isAtomic) await onStage?.('own')
    const created = writes.find(({ name }) => name === hintsDatabase)?.create ?? []
    const entries = writes.find(({ name }) => name === ordersDatabase)?.create ?? []
    journal.recordGiven(entries as OrderEntry[])
    let isComplete = true
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
      // A full disk may have refused the hint too: the healer finds what the journal names.
      isComplete = false
      hints.announce()
      onError(error)
    }
    if (isComplete) onFinished(entries)
    const queued = writes.find(({ name }) => name === outboxDatabase)?.put ?? []
    if (queued.length > 0) onQueued(queued as OutboxEntry[])
    if (delivery.peerId) onAdded(delivery.actorId, delivery.peerId, entries.length)
    await onStage?.('finished')
  }

  async function begin(delivery: Delivery, drafts: readonly MessageDraft[]) {
    const { actorId: authorId, peerId: readerId, reach, hasBegun } = delivery
    if (readerId === undefined) return
    // Also one that is stored already: a disk can keep a write that it refused.
    const found = drafts.find((draft) => isDelivered(draft, authorId))?.next
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
    /** Have both people's conversations begun? False also when unknown. */
    hasBegun: (senderId: string, recipientId: string) => begun.has(`${senderId} ${recipientId}`),
    finish,
  }
}
