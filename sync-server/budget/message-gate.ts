import { isDiscarded, type MessageDocument } from '../../schema/message.ts'
import { refuse } from '../../schema/refusal.ts'
import { RequestRefused } from '../http/core/request-refused.ts'
import type { Acceptance } from '../messages/message-acceptance.ts'
import { readMessageProposal } from '../messages/proposals/message-draft.ts'
import type { Outcome, Proposal } from '../messages/proposals/proposal.ts'
import {
  nameConversationsDatabase,
  nameMessagesDatabase,
} from '../storage/documents/database-names.ts'
import type { Document } from '../storage/documents/documents.ts'
import type { Storage } from '../storage/storage.ts'
import type { MessageRate } from './message-rate.ts'
import type { StorageQuota } from './storage-quota.ts'

type Acceptors = Pick<Acceptance, 'acceptMessages' | 'acceptConversations'>
type StoredById = ReadonlyMap<string, Document>

interface HeldBack {
  heldBack: ReadonlySet<Proposal>
  withdrawn: ReadonlySet<Proposal>
}
const nothing: HeldBack = { heldBack: new Set(), withdrawn: new Set() }

/** Room for times and flags that a conversation may still gain. */
const slackCharacters = 500

/**
 * Stands before the one way in (P4) and bounds what a person adds to storage (P12): new messages a
 * minute, and total bytes. It stores nothing that it holds back; the caller still has it (P6).
 */
export function createMessageGate(options: {
  acceptance: Acceptors
  storage: Pick<Storage, 'database'>
  rate: MessageRate
  quota: StorageQuota
}): Acceptors {
  const { acceptance, storage, rate, quota } = options

  async function readStored(name: string, proposals: readonly Proposal[]): Promise<StoredById> {
    return await storage.database<Document>(name).read(proposals.map(({ id }) => id))
  }

  /**
   * A person without any room may still read, delete and change, which makes room.
   * @returns withdrawn: of what is held back, deletions of what was never stored. They need no
   * room: nothing is left to do.
   */
  async function findHeldBack(
    name: string,
    { actorId, proposals }: { actorId: string; proposals: readonly Proposal[] },
  ): Promise<HeldBack> {
    if (proposals.length === 0 || (await quota.look(actorId)) !== 'overfull') return nothing
    const stored = await readStored(name, proposals)
    const isOfMessages = name === nameMessagesDatabase(actorId)
    const isLarger = isOfMessages ? isWordier : isLonger
    const heldBack = proposals.filter((one) => isNew(one, stored) || isLarger(one, stored))
    const withdrawn = heldBack.filter((one) => isOfMessages && isWithdrawn(one, stored))
    return { heldBack: new Set(heldBack), withdrawn: new Set(withdrawn) }
  }

  /**
   * @returns how many were counted, at least the number of new ones. @throws RequestRefused
   * `too_many_messages`
   */
  async function takeTurns(actorId: string, proposals: readonly Proposal[]): Promise<number> {
    const most = new Set(proposals.map(({ id }) => id)).size
    if (most === 0 || rate.take(actorId, most) === 0) return most
    const stored = await readStored(nameMessagesDatabase(actorId), proposals)
    const ids = proposals.filter((one) => isNew(one, stored)).map(({ id }) => id)
    const count = new Set(ids).size
    const seconds = rate.take(actorId, count)
    if (seconds === 0) return count
    rate.recordRefused()
    const headers = { 'retry-after': String(seconds), ...rate.describe(actorId) }
    throw new RequestRefused('too_many_messages', { headers })
  }

  /** @param accept stores what the gate does not hold back */
  async function holdBack<Doc>(
    name: string,
    asked: { actorId: string; proposals: readonly Proposal[] },
    accept: (passed: readonly Proposal[]) => Promise<Outcome<Doc>[]>,
  ): Promise<Outcome<Doc>[]> {
    const { heldBack, withdrawn } = await findHeldBack(name, asked)
    if (heldBack.size === 0) return await accept(asked.proposals)
    const outcomes = await accept(asked.proposals.filter((one) => !heldBack.has(one)))
    const left = outcomes.values()
    const refusal = refuse('storage_full')
    return asked.proposals.flatMap((one) => {
      if (!heldBack.has(one)) return left.next().value ?? []
      const { id } = one
      return withdrawn.has(one) ? { kind: 'absent', id } : { kind: 'heldBack', id, refusal }
    })
  }

  return {
    /** @throws RequestRefused `too_many_messages`: nothing was stored */
    acceptMessages: ({ actorId, sessionId, proposals }) =>
      holdBack(nameMessagesDatabase(actorId), { actorId, proposals }, async (passed) => {
        let unused = await takeTurns(actorId, passed)
        try {
          const outcomes = await acceptance.acceptMessages({
            actorId,
            sessionId,
            proposals: passed,
          })
          unused -= countNew(passed, outcomes)
          return outcomes
        } finally {
          if (unused > 0) rate.giveBack(actorId, unused)
        }
      }),

    acceptConversations: ({ actorId, sessionId, proposals }) =>
      holdBack(nameConversationsDatabase(actorId), { actorId, proposals }, (passed) =>
        acceptance.acceptConversations({ actorId, sessionId, proposals: passed }),
      ),
  }
}

/** Would it be stored as a new message, or resent after a refusal? */
function isNew({ id, raw, isDeleted }: Proposal, stored: StoredById): boolean {
  if (isDeleted) return false
  const before = stored.get(id) as Partial<MessageDocument> | undefined
  if (!before) return true
  const isRetry = raw.status === 'sending' && Number(raw.attempt) > (before.attempt ?? 1)
  return before.status === 'failed' && isRetry && raw.deletedAt === undefined
}

/** Neither sent nor stored: one that a restore lost is still to be deleted for its reader. */
function isWithdrawn(proposal: Proposal, stored: StoredById): boolean {
  if (stored.has(proposal.id)) return false
  const { message } = readMessageProposal(proposal)
  return message !== undefined && isDiscarded(message)
}

/** Only the words of a message can grow without bound; a deleted one loses them. */
function isWordier(proposal: Proposal, stored: StoredById): boolean {
  if (proposal.isDeleted) return false
  const { message } = readMessageProposal(proposal)
  // An unreadable proposal is kept beside the stored version.
  if (!message) return true
  const { content, sealed, refused, deletedAt } = message
  const words = deletedAt === undefined ? [content, sealed, refused] : [refused]
  const before = stored.get(proposal.id) as Partial<MessageDocument> | undefined
  return (
    countCharacters(words) > countCharacters([before?.content, before?.sealed, before?.refused])
  )
}

function isLonger({ id, raw }: Proposal, stored: StoredById): boolean {
  // A client's revision history is not stored.
  const { _rev, _revisions, ...body } = raw
  return countCharacters(body) > countCharacters(stored.get(id)) + slackCharacters
}

function countCharacters(value: unknown): number {
  return JSON.stringify(value ?? {}).length
}

function countNew(
  proposals: readonly Proposal[],
  outcomes: readonly Outcome<MessageDocument>[],
): number {
  const added = outcomes.flatMap((outcome, index) => {
    if (outcome.kind !== 'stored') return []
    const { id, isNew, isTaken, doc } = outcome
    const isSentAgain =
      isTaken && doc.status === 'sent' && proposals[index]?.raw.status === 'sending'
    return isNew || isSentAgain ? [id] : []
  })
  return new Set(added).size
}
