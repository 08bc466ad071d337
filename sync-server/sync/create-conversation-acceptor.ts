import type { ConversationDocument } from '../../schema/conversation.ts'
import type { Relations } from '../access/create-relations.ts'
import type { Storage } from '../storage/create-storage.ts'
import { nameConversationsDatabase } from '../storage/database-names.ts'
import type { OrderJournal } from './create-order-journal.ts'
import { createTurns } from './create-turns.ts'
import { decideConversations, draftConversation } from './decide-conversations.ts'
import { giveReceipts } from './give-receipts.ts'
import type { Outcome, Proposal } from './proposal.ts'

/**
 * The one way in for conversations (P4). A mark that rises is first set on the author's copies, then stored; so a
 * crash in between is finished by the retry, as with messages.
 */
export function createConversationAcceptor(options: {
  storage: Storage
  journal: OrderJournal
  relations: Pick<Relations, 'canReach'>
  now: () => number
}) {
  const { storage, journal, relations, now } = options
  const turns = createTurns<Proposal, Outcome<ConversationDocument>>(acceptBatch)

  async function acceptBatch(readerId: string, proposals: readonly Proposal[]) {
    const at = now()
    const own = storage.database<ConversationDocument>(nameConversationsDatabase(readerId))
    const ids = proposals.map(({ id }) => id)
    const before = await own.read(ids)
    const drafts = proposals.map((proposal) => {
      const { id } = proposal
      const newest = Math.max(at, journal.lastGiven(readerId, id))
      return draftConversation({ readerId, proposal, stored: before.get(id), now: newest })
    })
    const rises = drafts.flatMap(({ rise }) => (rise ? [rise] : []))
    const base = { storage, journal, relations, now: at }
    const handled = await Promise.all(
      rises.map((rise) => giveReceipts({ ...base, rise, handled: new Set() })),
    )
    const { result, revs } = await own.update(ids, (stored) =>
      decideConversations({ drafts, stored }),
    )
    // A message that was still on its way to its author's copy is met now: the mark that it looks for is stored.
    await Promise.all(
      rises.map((rise, index) =>
        giveReceipts({ ...base, rise, handled: handled[index] ?? new Set() }),
      ),
    )
    return result.map(({ doc, ...outcome }): Outcome<ConversationDocument> => {
      const rev = revs.get(outcome.id)
      if (!doc || rev === undefined) return { kind: 'absent', id: outcome.id }
      return { ...outcome, kind: 'stored', doc, rev }
    })
  }

  return {
    /** Accepts each proposal, as `actorId`; outcomes come in the order of the proposals. */
    acceptConversations: (request: { actorId: string; proposals: readonly Proposal[] }) =>
      turns.add(request.actorId, request.proposals),
    /** Resolves when what was under way is done. */
    settle: () => turns.settle(),
  }
}
