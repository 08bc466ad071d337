import type { ConversationDocument } from '../../../schema/conversation.ts'
import { must } from '../../../schema/helpers/assertions.ts'
import { groupBy } from '../../../schema/helpers/lists.ts'
import type { LostSpan } from '../../../schema/message.ts'
import { PersonGone } from '../../access/account-documents.ts'
import type { Relations } from '../../access/relations.ts'
import { createKeyedBatcher } from '../../lib/keyed-batcher.ts'
import { nameConversationsDatabase } from '../../storage/documents/database-names.ts'
import { DatabaseGone } from '../../storage/documents/storage-errors.ts'
import {
  type DatabaseWrite,
  type Part,
  type ReadPart,
  TransactionFailed,
} from '../../storage/documents/transaction.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Hints } from '../copies/hints.ts'
import { type OrderJournal, ordersDatabase } from '../copies/order-journal.ts'
import {
  extendSilences,
  listUntold,
  type SilencesDocument,
  silencesKey,
  tellHintedReceipts,
  tellMarks,
} from '../copies/tell-marks.ts'
import { weighGrowth } from '../copies/weigh-document.ts'
import {
  type ConversationDraft,
  decideConversations,
  type MarkRise,
} from '../proposals/decide-conversations.ts'
import type {
  AcceptanceListener,
  AcceptRequest,
  MessagePrivacy,
  Outcome,
  Proposal,
} from '../proposals/proposal.ts'

/** A group in which somebody raises their marks: what is written together with their conversation. */
export interface MarkedGroup {
  parts: readonly Part[]
  /** Its newest place: a mark may reach it, whatever the clock says. */
  findNewest(read: ReadPart): number
  raise(read: ReadPart, rise: MarkRise): DatabaseWrite[]
  /** Called once that is written, or has failed; returns at once. */
  settle?(isWritten: boolean): void
}

/** The group of this id, where a person is or was in it. */
export type FindMarkedGroup = (userId: string, groupId: string) => Promise<MarkedGroup | undefined>

interface Written {
  drafts: ConversationDraft[]
  rise?: MarkRise
  rev: string | undefined
}

/**
 * The one way in for conversations (P4). Raises a receipt in the author's too, first if not atomic,
 * so a retry completes a crash; hints it if it cannot, so no author blocks others (P6). Never tells
 * receipts of a blocked time, even after the block. A receipt never begins a conversation.
 * @param listLost what the server lost of a person's data in a restore
 * @param findGroup without it, there are no groups
 * @param onAccepted called with each request and its outcomes
 * @param onError called with the reason why an author's conversation could not be written
 */
export function createConversationAcceptor(options: {
  storage: Storage
  journal: OrderJournal
  hints: Hints
  relations: Pick<Relations, 'canReach'>
  privacy: Pick<MessagePrivacy, 'hidesReading'>
  listLost: (userId: string) => readonly LostSpan[]
  findGroup?: FindMarkedGroup | undefined
  now: () => number
  onAccepted: AcceptanceListener['onConversations']
  onError: (error: unknown) => void
}) {
  const { storage, journal, hints, relations, privacy, listLost, now } = options
  const { onAccepted, onError, findGroup } = options
  const batcher = createKeyedBatcher<Proposal, Outcome<ConversationDocument>>(acceptBatch)

  async function acceptBatch(ownerId: string, proposals: readonly Proposal[]) {
    if (proposals.length > 0) await requireHere(ownerId)
    const outcomes = new Map<Proposal, Outcome<ConversationDocument>>()
    const byPeer = [...groupBy(proposals, ({ id }) => id)]
    const written = await Promise.all(
      byPeer.map(([peerId, ofPeer]) => acceptConversation(ownerId, peerId, ofPeer)),
    )
    for (const { drafts, rev } of written) {
      for (const draft of drafts) outcomes.set(draft.proposal, toOutcome(draft, rev))
    }
    return proposals.map((proposal) => must(outcomes.get(proposal), 'an outcome'))
  }

  async function requireHere(ownerId: string) {
    if ((await relations.canReach(ownerId, ownerId)) === 'unknown_person') throw new PersonGone()
  }

  async function acceptConversation(
    ownerId: string,
    peerId: string,
    proposals: readonly Proposal[],
  ): Promise<Written> {
    const reaches = await Promise.all([
      relations.canReach(peerId, ownerId),
      relations.canReach(ownerId, peerId),
    ])
    const isGone = reaches.includes('unknown_person') || reaches.includes('channel')
    const told =
      isGone || ownerId === peerId ? 'nobody' : reaches.includes('held') ? 'later' : 'now'
    // Its places may lie ahead of a clock that was set back, and this server may not know them yet.
    if (proposals.some(({ raw }) => isAhead(raw, now()))) await journal.prepare(ownerId, peerId)
    const isReadingHidden = told === 'now' && (await privacy.hidesReading(ownerId, peerId))
    // A group's id is nobody's: no marks of its own are raised, but the group's.
    const group = isGone ? await findGroup?.(ownerId, peerId) : undefined
    const change = { ownerId, peerId, proposals, at: now(), isReadingHidden, group }
    try {
      const written = await write({ ...change, told })
      group?.settle?.(true)
      return written
    } catch (error) {
      group?.settle?.(false)
      const isLeft =
        error instanceof DatabaseGone && error.database !== nameConversationsDatabase(ownerId)
      // They left since the check: nobody is left to hide the reading from.
      if (isLeft) {
        const alone = { told: 'nobody' as const, isReadingHidden: false, group: undefined }
        return await write({ ...change, ...alone })
      }
      const isOfPeer =
        error instanceof TransactionFailed && error.database === nameConversationsDatabase(peerId)
      if (!isOfPeer) throw error
      onError(error)
      return await write({ ...change, told: 'nobody', isHintDue: true })
    }
  }

  async function hintReceipts(readerId: string, authorId: string, { upTo }: MarkRise) {
    await hints.addReceipts({ readerId, authorId, ...upTo })
  }

  /**
   * @param change.told whether the author learns of receipts: `later` records that they must not
   */
  async function write(change: {
    ownerId: string
    peerId: string
    proposals: readonly Proposal[]
    told: 'now' | 'later' | 'nobody'
    /** Hears the author of the arrival alone? The reading then stays hidden, as with a block. */
    isReadingHidden: boolean
    group: MarkedGroup | undefined
    at: number
    /** The author is unavailable: stores a hint first, so that a crash does not lose it. */
    isHintDue?: boolean
    isHinted?: boolean
  }): Promise<Written> {
    const { ownerId, peerId, proposals, told, at, isHintDue = false, isHinted = false } = change
    const { isReadingHidden, group } = change
    const own = nameConversationsDatabase(ownerId)
    const peers = nameConversationsDatabase(peerId)
    const silencesId = silencesKey(peerId, ownerId)
    const newest = Math.max(at, journal.lastGiven(ownerId, peerId))
    // Also for an unavailable author: the hint may be replayed once receipts are on again.
    const mayBeSilent = told !== 'nobody' || isReadingHidden
    const { result, revs } = await storage.transact<Omit<Written, 'rev'> & { isUntold: boolean }>({
      isPatient: true,
      parts: [
        { name: own, ids: [peerId] },
        ...(mayBeSilent ? [{ name: ordersDatabase, ids: [silencesId] }] : []),
        ...(told === 'now' ? [{ name: peers, ids: [ownerId] }] : []),
        ...(group?.parts ?? []),
      ],
      decide(read) {
        const stored = read<ConversationDocument>(own).get(peerId)
        const { next, ...decided } = decideConversations({
          proposals,
          stored,
          now: Math.max(newest, group?.findNewest(read) ?? 0),
          lost: listLost(ownerId),
        })
        const writes: DatabaseWrite[] = []
        const theirs = told === 'now' ? read<ConversationDocument>(peers).get(ownerId) : undefined
        // It is yet to begin, where its first message's write does not create it.
        const isMissed = told === 'now' && !theirs && !storage.isAtomic
        const isUntold = decided.rise !== undefined && (isMissed || isHintDue)
        if (isUntold && !isHinted) return { writes: [], result: { ...decided, isUntold } }
        if (decided.rise && theirs) {
          const silences = read<SilencesDocument>(ordersDatabase).get(silencesId)
          const raised = tellMarks({
            stored: theirs,
            rise: decided.rise,
            silences,
            at,
            isReadingHidden,
          })
          writes.push({ name: peers, put: [raised] })
        }
        const untold = decided.rise ? listUntold(decided.rise) : []
        const added = told === 'later' ? untold : isReadingHidden ? untold.filter(isOfReading) : []
        if (added.length > 0) {
          const before = read<SilencesDocument>(ordersDatabase).get(silencesId)
          writes.push({
            name: ordersDatabase,
            put: [extendSilences(before, { _id: silencesId, added })],
          })
        }
        const pushed = proposals.flatMap(({ id, revisions, isDeleted }) =>
          revisions ? [{ id, revisions, isDeleted }] : [],
        )
        const tally = next ? weighGrowth(stored, next) : 0
        if (decided.rise && group) writes.push(...group.raise(read, decided.rise))
        writes.push({ name: own, put: next ? [next] : [], pushed, tally })
        return { writes, result: { ...decided, isUntold } }
      },
    })
    const { rise, isUntold } = result
    if (rise && isUntold && !isHinted) {
      await hintReceipts(ownerId, peerId, rise)
      return await write({ ...change, isHinted: true })
    }
    if (rise && isUntold && !isHintDue) {
      // It may have begun during this write, and the hint may have been replayed before.
      const marks = { readerId: ownerId, authorId: peerId, ...rise.upTo }
      await tellHintedReceipts({ storage, relations, privacy, marks, now }).catch(onError)
    }
    return { ...result, rev: revs(own).get(peerId) }
  }

  return {
    /** Accepts each proposal, as `actorId`; outcomes come in the order of the proposals. */
    async acceptConversations(request: AcceptRequest) {
      const outcomes = await batcher.add(request.actorId, request.proposals)
      onAccepted({ ...request, outcomes })
      return outcomes
    },
    /** Resolves when no write is running. */
    settle: () => batcher.settle(),
  }
}

function isAhead(raw: Record<string, unknown>, now: number): boolean {
  return ['deliveredUpTo', 'readUpTo', 'clearedUpTo'].some((field) => Number(raw[field]) > now)
}

const isOfReading = ({ status }: { status: string }) => status === 'read'

function toOutcome(
  { proposal, next, isNew, isTaken, isClamped }: ConversationDraft,
  rev: string | undefined,
): Outcome<ConversationDocument> {
  if (!next || rev === undefined) return { kind: 'absent', id: proposal.id }
  const { id } = proposal
  return { kind: 'stored', id, rev, doc: next, isNew, isTaken, ...(isClamped && { isClamped }) }
}
