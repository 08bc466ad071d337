import { isDeepStrictEqual } from 'node:util'
import { areMessagesEqual } from '../../schema/merge-messages.ts'
import type { MessageDocument } from '../../schema/message.ts'
import { must } from '../../schema/must.ts'
import type { Relations } from '../access/create-relations.ts'
import type { Storage } from '../storage/create-storage.ts'
import { nameMessagesDatabase } from '../storage/database-names.ts'
import type { Stored } from '../storage/documents.ts'
import type { Debts } from './create-debts.ts'
import type { OrderJournal } from './create-order-journal.ts'
import { createTurns } from './create-turns.ts'
import {
  draftMessage,
  type MessageDraft,
  type MessageProposal,
  readMessageProposal,
} from './draft-message.ts'
import { type FinishedCopy, finishMessages } from './finish-messages.ts'
import { type OrderEntry, parseOrderEntry } from './order-entry.ts'
import type { Outcome, Proposal } from './proposal.ts'
import { type MessageFiles, shareFiles } from './share-files.ts'
import { writePeerCopies } from './write-peer-copies.ts'

/** The stages of a write, in their order: a crash can come after each. */
export type Stage = 'ordered' | 'peer' | 'own' | 'finished'

const mostTries = 20

/**
 * The one way in for messages (P4). Each new one is written in this order: its place, the other person's copy, the
 * own copy (which is the acknowledgement, P3), the conversations. Proposals of one person are done in turn, joined.
 * @param onStarted told of messages that are about to be written, and calls what it returns when they are not any more
 * @param onFinished told of the places whose messages are complete
 * @param onError told why another person's copies could not be written
 * @param onStage for tests of crashes
 */
export function createMessageAcceptor(options: {
  storage: Storage
  journal: OrderJournal
  debts: Debts
  relations: Pick<Relations, 'canReach'>
  files: MessageFiles
  now: () => number
  onStarted: (actorId: string, messageIds: readonly string[]) => () => void
  onFinished: (entries: readonly OrderEntry[]) => void
  onError: (error: unknown) => void
  onStage?: ((stage: Stage) => void | Promise<void>) | undefined
}) {
  const { storage, journal, debts, relations, files, now } = options
  const { onStarted, onFinished, onError, onStage } = options
  const turns = createTurns<Proposal, Outcome<MessageDocument>>(acceptBatch)

  async function acceptBatch(actorId: string, proposals: readonly Proposal[]) {
    const outcomes = new Map<Proposal, Outcome<MessageDocument>>()
    let rest = proposals.map((source) => ({ source, proposal: readMessageProposal(source) }))
    while (rest.length > 0) {
      const first = new Map(rest.toReversed().map((one) => [one.proposal.id, one]))
      const batch = rest.filter((one) => first.get(one.proposal.id) === one)
      const accepted = await acceptDistinct(
        actorId,
        batch.map(({ proposal }) => proposal),
      )
      for (const { source, proposal } of batch) {
        outcomes.set(source, must(accepted.get(proposal.id), 'an outcome'))
      }
      rest = rest.filter((one) => !batch.includes(one))
    }
    return proposals.map((proposal) => must(outcomes.get(proposal), 'an outcome'))
  }

  async function acceptDistinct(actorId: string, proposals: readonly MessageProposal[]) {
    const outcomes = new Map<string, Outcome<MessageDocument>>()
    const touched = new Set<string>()
    const messageIds = proposals.map(({ id }) => id)
    const end = onStarted(actorId, messageIds)
    try {
      let rest = proposals
      for (let tries = 0; rest.length > 0; tries += 1) {
        if (tries === mostTries) throw new Error('messages changed under every try to write them')
        const written = await writeBatch(actorId, rest, touched)
        for (const outcome of written) outcomes.set(outcome.id, outcome)
        rest = rest.filter(({ id }) => !outcomes.has(id))
      }
      return outcomes
    } finally {
      end()
    }
  }

  /** @returns outcomes; none for a message whose own copy somebody else changed meanwhile */
  async function writeBatch(
    actorId: string,
    proposals: readonly MessageProposal[],
    touched: Set<string>,
  ) {
    const at = now()
    const own = storage.database<MessageDocument>(nameMessagesDatabase(actorId))
    const stored = await own.read(proposals.map(({ id }) => id))
    const ruled = await Promise.all(
      proposals.map(async (proposal) => {
        const before = withoutRev(stored.get(proposal.id))
        const isPeerTouched = touched.has(proposal.id)
        const reach = await findReach(actorId, before ?? proposal.message)
        return draftMessage({ actorId, proposal, stored: before, reach, isPeerTouched, now: at })
      }),
    )
    const drafts = await shareFiles({ files, actorId, drafts: ruled, now: at })
    const entries = await journal.place(drafts.flatMap(toUnplaced).sort(byPlaceWanted))
    const placed = drafts.map((draft) => putInPlace(draft, entries))
    await onStage?.('ordered')
    const { copied, owed } = await writePeerCopies({
      ...{ storage, files, actorId, onError },
      ...{ drafts: placed, now: at },
    })
    await debts.noteMessages(owed)
    for (const { effect, proposal } of copied) {
      if (effect === 'deliver' || effect === 'amend') touched.add(proposal.id)
    }
    await onStage?.('peer')
    const outcomes = await writeOwnCopies(actorId, copied)
    await onStage?.('own')
    const isWritten = new Set(outcomes.map(({ id }) => id))
    const delivered = copied.flatMap(({ effect, next, reach, proposal }) =>
      effect === 'deliver' && next && isWritten.has(proposal.id)
        ? [{ message: next, isHeld: reach === 'held' }]
        : [],
    )
    await finishOrOwe(actorId, delivered, at)
    onFinished([...entries.values()])
    await onStage?.('finished')
    return outcomes
  }

  /** The copies are written: what follows from them may come later. */
  async function finishOrOwe(authorId: string, copies: readonly FinishedCopy[], at: number) {
    try {
      await finishMessages({ storage, authorId, copies, now: at })
    } catch (error) {
      onError(error)
      await debts.noteMessages(
        copies.map(({ message: { recipientId: readerId, _id: messageId } }) => ({
          ...{ authorId, readerId, messageId },
        })),
      )
    }
  }

  async function findReach(actorId: string, message: MessageDocument | undefined) {
    if (!message || message.recipientId === actorId) return 'delivered'
    return await relations.canReach(actorId, message.recipientId)
  }

  async function writeOwnCopies(actorId: string, drafts: readonly MessageDraft[]) {
    const own = storage.database<MessageDocument>(nameMessagesDatabase(actorId))
    const ids = drafts.map(({ proposal }) => proposal.id)
    const { result, revs } = await own.update(ids, (stored) => {
      const ready = drafts.filter((draft) =>
        isDeepStrictEqual(stored.get(draft.proposal.id), draft.stored),
      )
      return {
        put: ready.flatMap(({ next, effect }) => (next && effect !== 'none' ? [next] : [])),
        pushed: ready.flatMap(({ proposal: { id, revisions, isDeleted } }) =>
          revisions ? [{ id, revisions, isDeleted }] : [],
        ),
        result: ready,
      }
    })
    return result.map((draft) => toOutcome(draft, revs.get(draft.proposal.id)))
  }

  return {
    /** Accepts or refuses each proposal, as `actorId`; outcomes come in the order of the proposals. */
    acceptMessages: (request: { actorId: string; proposals: readonly Proposal[] }) =>
      turns.add(request.actorId, request.proposals),
    /** Resolves when what was under way is done. */
    settle: () => turns.settle(),
  }
}

function toUnplaced({ proposal, next, effect, reach }: MessageDraft) {
  if (effect !== 'deliver' || !next) return []
  const { senderId, recipientId, orderedAt, createdAt } = next
  const isHeld = reach === 'held'
  return [{ messageId: proposal.id, senderId, recipientId, isHeld, orderedAt, createdAt }]
}

type PlaceWanted = ReturnType<typeof toUnplaced>[number]

/** The order in which their author saw them while they waited. */
function byPlaceWanted(a: PlaceWanted, b: PlaceWanted): number {
  return (
    a.orderedAt - b.orderedAt || a.createdAt - b.createdAt || (a.messageId < b.messageId ? -1 : 1)
  )
}

function putInPlace(draft: MessageDraft, entries: ReadonlyMap<string, OrderEntry>): MessageDraft {
  const entry = entries.get(draft.proposal.id)
  const orderedAt = entry && parseOrderEntry(entry)?.orderedAt
  return draft.next && orderedAt !== undefined
    ? { ...draft, next: { ...draft.next, orderedAt } }
    : draft
}

function toOutcome(draft: MessageDraft, rev: string | undefined): Outcome<MessageDocument> {
  const { proposal, stored, next, effect, refusal } = draft
  if (!next || rev === undefined) return { kind: 'absent', id: proposal.id }
  const isSame = proposal.message !== undefined && areMessagesEqual(next, proposal.message)
  return {
    kind: 'stored',
    id: proposal.id,
    rev,
    doc: next,
    isNew: !stored,
    isTaken:
      isSame || (!refusal && effect !== 'none' && !(stored && areMessagesEqual(stored, next))),
    ...(refusal ? { refusal } : {}),
  }
}

function withoutRev<Body extends { _id: string }>(doc: Stored<Body> | undefined): Body | undefined {
  if (!doc) return undefined
  const { _rev, ...body } = doc
  // What is left of a stored body without its revision is the body.
  return body as unknown as Body
}
