import type { ConversationDocument } from '../../schema/conversation.ts'
import type { Relations } from '../access/create-relations.ts'
import type { Storage } from '../storage/create-storage.ts'
import { nameConversationsDatabase } from '../storage/database-names.ts'
import type { Debts } from './create-debts.ts'
import type { OrderJournal } from './create-order-journal.ts'
import { createTurns } from './create-turns.ts'
import { decideConversations, draftConversation } from './decide-conversations.ts'
import { giveReceipts, type Rise } from './give-receipts.ts'
import type { Outcome, Proposal } from './proposal.ts'

/**
 * The one way in for conversations (P4). A mark that rises is first set on the author's copies, then stored; so a
 * crash in between is finished by the retry, as with messages. An author whose copies cannot be written holds up
 * nobody else (P6): their receipts are owed.
 * @param onError told why an author's copies could not be written
 */
export function createConversationAcceptor(options: {
  storage: Storage
  journal: OrderJournal
  debts: Debts
  relations: Pick<Relations, 'canReach'>
  now: () => number
  onError: (error: unknown) => void
}) {
  const { storage, journal, debts, relations, now, onError } = options
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
    const handled = await Promise.all(rises.map((rise) => giveOrOwe(rise, new Set(), at)))
    const { result, revs } = await own.update(ids, (stored) =>
      decideConversations({ drafts, stored }),
    )
    // A message that was still on its way to its author's copy is met now: the mark that it looks for is stored.
    await Promise.all(rises.map((rise, index) => giveOrOwe(rise, handled[index] ?? new Set(), at)))
    return result.map(({ doc, ...outcome }): Outcome<ConversationDocument> => {
      const rev = revs.get(outcome.id)
      if (!doc || rev === undefined) return { kind: 'absent', id: outcome.id }
      return { ...outcome, kind: 'stored', doc, rev }
    })
  }

  async function giveOrOwe(rise: Rise, handled: ReadonlySet<string>, at: number) {
    try {
      return await giveReceipts({ storage, journal, relations, rise, handled, now: at })
    } catch (error) {
      onError(error)
      await debts.noteReceipts([rise])
      return new Set<string>()
    }
  }

  return {
    /** Accepts each proposal, as `actorId`; outcomes come in the order of the proposals. */
    acceptConversations: (request: { actorId: string; proposals: readonly Proposal[] }) =>
      turns.add(request.actorId, request.proposals),
    /** Resolves when what was under way is done. */
    settle: () => turns.settle(),
  }
}
