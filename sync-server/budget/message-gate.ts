import type { ConversationDocument } from '../../schema/conversation.ts'
import type { MessageDocument } from '../../schema/message.ts'
import { RequestRefused } from '../http/request-refused.ts'
import type { Acceptance } from '../messages/acceptance.ts'
import type { Outcome, Proposal } from '../messages/proposal.ts'
import type { Storage } from '../storage/create-storage.ts'
import { nameConversationsDatabase, nameMessagesDatabase } from '../storage/database-names.ts'
import type { Document } from '../storage/documents.ts'
import type { MessageRate } from './message-rate.ts'
import type { Room, StorageQuota } from './storage-quota.ts'

type Acceptors = Pick<Acceptance, 'acceptMessages' | 'acceptConversations'>
type StoredById = ReadonlyMap<string, Document>

/** About what a document takes besides its text. */
const documentBytes = 1_000
/** A star, a time and a flag may still be added to what is stored. */
const slackCharacters = 500

/**
 * Stands before the one way in (P4) and bounds what a person may add to what is stored (P12): new messages in a minute,
 * and bytes in all. Nothing of what it refuses is stored, and all of it is still with whoever offers it (P6).
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

  /** Whoever is full may still read, delete and change: that may be what makes room. */
  async function findHeldBack(
    name: string,
    { actorId, proposals }: { actorId: string; proposals: readonly Proposal[] },
    tooMuch: Room[],
  ): Promise<ReadonlySet<Proposal>> {
    const room = proposals.length === 0 ? 'free' : await quota.look(actorId)
    if (!tooMuch.includes(room)) return new Set()
    const stored = await readStored(name, proposals)
    return new Set(
      proposals.filter(
        (one) => isNew(one, stored) || (room === 'overfull' && isLarger(one, stored)),
      ),
    )
  }

  /** @returns how many were counted: at most so many are new */
  async function takeTurns(actorId: string, proposals: readonly Proposal[]): Promise<number> {
    const most = new Set(proposals.map(({ id }) => id)).size
    if (most === 0 || rate.perMinute === 0 || rate.take(actorId, most) === 0) return most
    const stored = await readStored(nameMessagesDatabase(actorId), proposals)
    const ids = proposals.filter((one) => isNew(one, stored)).map(({ id }) => id)
    const count = new Set(ids).size
    const seconds = count === 0 ? 0 : rate.take(actorId, count)
    if (seconds === 0) return count
    const headers = { 'retry-after': String(seconds) }
    throw new RequestRefused('too_many_messages', { headers })
  }

  function noteWritten(actorId: string, outcomes: readonly Outcome<MessageDocument>[]) {
    for (const outcome of outcomes) {
      if (outcome.kind !== 'stored' || !(outcome.isNew || outcome.isTaken)) continue
      const { content, peerId, status } = outcome.doc
      const bytes = documentBytes + Buffer.byteLength(content)
      quota.note(actorId, bytes)
      if (status === 'sent') quota.note(peerId, bytes)
    }
  }

  return {
    /** @throws RequestRefused `too_many_messages`: nothing was stored; `storage_full`: all but what takes room was */
    async acceptMessages({ actorId, proposals }) {
      const name = nameMessagesDatabase(actorId)
      const heldBack = await findHeldBack(name, { actorId, proposals }, ['full', 'overfull'])
      const passed = proposals.filter((one) => !heldBack.has(one))
      let unused = await takeTurns(actorId, passed)
      try {
        const outcomes = await acceptance.acceptMessages({ actorId, proposals: passed })
        unused -= countNew(passed, outcomes)
        noteWritten(actorId, outcomes)
        if (heldBack.size > 0) throw quota.refuse(actorId)
        return outcomes
      } finally {
        if (unused > 0) rate.giveBack(actorId, unused)
      }
    },

    /** @throws RequestRefused `storage_full`: all but what takes room was stored */
    async acceptConversations({ actorId, proposals }) {
      const name = nameConversationsDatabase(actorId)
      const heldBack = await findHeldBack(name, { actorId, proposals }, ['overfull'])
      const passed = proposals.filter((one) => !heldBack.has(one))
      const outcomes = await acceptance.acceptConversations({ actorId, proposals: passed })
      if (heldBack.size > 0) throw quota.refuse(actorId)
      return outcomes
    },
  }
}

/** Would it be stored as a new one, or be sent anew after it was refused? */
function isNew({ id, raw, isDeleted }: Proposal, stored: StoredById): boolean {
  if (isDeleted) return false
  const before = stored.get(id) as Partial<MessageDocument> | undefined
  if (!before) return true
  const isRetry = raw.status === 'sending' && Number(raw.attempt) > (before.attempt ?? 1)
  return before.status === 'failed' && isRetry && raw.deletedAt === undefined
}

function isLarger({ id, raw }: Proposal, stored: StoredById): boolean {
  const before = stored.get(id)
  return JSON.stringify(raw).length > JSON.stringify(before ?? {}).length + slackCharacters
}

function countNew(
  proposals: readonly Proposal[],
  outcomes: readonly Outcome<MessageDocument>[],
): number {
  const added = outcomes.flatMap((outcome, index) => {
    if (outcome.kind !== 'stored') return []
    const { id, isNew, isTaken, doc } = outcome
    const isSentAnew =
      isTaken && doc.status === 'sent' && proposals[index]?.raw.status === 'sending'
    return isNew || isSentAnew ? [id] : []
  })
  return new Set(added).size
}
