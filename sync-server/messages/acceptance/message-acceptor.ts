import { groupBy } from '../../../schema/helpers/group-by.ts'
import { must } from '../../../schema/helpers/must.ts'
import { slicesOf } from '../../../schema/helpers/slices-of.ts'
import type { LostSpan } from '../../../schema/lost-span.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import { PersonGone } from '../../access/person-gone.ts'
import type { Reach, Relations } from '../../access/relations.ts'
import { createKeyedBatcher } from '../../lib/keyed-batcher.ts'
import { mapInTurns } from '../../lib/map-in-turns.ts'
import { DatabaseGone } from '../../storage/databases/database-gone.ts'
import { nameMessagesDatabase } from '../../storage/databases/database-names.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Hints } from '../copies/hints.ts'
import { type MessageFiles, shareFiles } from '../copies/message-files.ts'
import type { OrderEntry } from '../order/order-entry.ts'
import type { OrderJournal } from '../order/order-journal.ts'
import type { MessagePrivacy } from '../privacy/message-privacy.ts'
import { readMessageProposal } from '../proposals/message-draft.ts'
import type { Outcome, Proposal } from '../proposals/proposal.ts'
import { draftGroup, findPeer, groupById } from '../proposals/proposal-group.ts'
import type { AcceptanceListener, AcceptRequest } from './acceptance-listener.ts'
import { createDeliveryFinisher } from './delivery-finisher.ts'
import { listOutcomes } from './delivery-outcomes.ts'
import type { Delivery, Stage } from './delivery-types.ts'
import { createDeliveryWriter } from './delivery-writer.ts'
import type { OutboxEntry } from './outbox-entry.ts'

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
