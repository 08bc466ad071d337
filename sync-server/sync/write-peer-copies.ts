import { failMessage } from '../../schema/decide-message.ts'
import { isDiscarded, type MessageDocument } from '../../schema/message.ts'
import { must } from '../../schema/must.ts'
import { writePeerCopy } from '../../schema/peer-copy.ts'
import { refuseChange } from '../../schema/permit-message-change.ts'
import { refuse } from '../../schema/refusal.ts'
import type { Storage } from '../storage/create-storage.ts'
import { nameMessagesDatabase } from '../storage/database-names.ts'
import { completeOwnCopy } from './complete-own-copy.ts'
import type { MessageDebt } from './create-debts.ts'
import type { MessageDraft } from './draft-message.ts'
import type { MessageFiles } from './share-files.ts'
import { takeBackWords } from './take-back-words.ts'

/**
 * Writes the other person's copies of what was accepted, one write for each person. Somebody whose copies cannot be
 * written holds up nobody else (P6), and what was meant for them is not acknowledged (P3).
 * @param onError told why copies could not be written
 * @returns the drafts as they are now: refused where the id is another message's over there or the copy could not be
 *   written, and in the place that an earlier try, whose answer was lost, has given them already. `owed`: deletions that
 *   have yet to reach the reader, for nobody can be told to live with a refused one, and new messages that were refused
 *   and may be there all the same, for nobody knows whether a write that failed has reached the disk
 */
export async function writePeerCopies(options: {
  storage: Storage
  files: MessageFiles
  actorId: string
  drafts: readonly MessageDraft[]
  now: number
  onError: (error: unknown) => void
}): Promise<{ copied: MessageDraft[]; owed: MessageDebt[] }> {
  const { storage, files, actorId, drafts, now, onError } = options
  const byPeer = new Map<string, MessageDraft[]>()
  for (const draft of drafts) {
    if (!isForPeer(draft)) continue
    const peerId = must(draft.next, 'an accepted message').recipientId
    byPeer.set(peerId, [...(byPeer.get(peerId) ?? []), draft])
  }
  const written = new Map<string, MessageDraft>()
  const owed: MessageDebt[] = []

  async function writeTo(peerId: string, forPeer: readonly MessageDraft[]) {
    const discards = forPeer.filter(isDiscard)
    const others = forPeer.filter((draft) => !isDiscard(draft))
    if (others.length > 0) await writeAccepted(peerId, others)
    if (discards.length > 0) await discardFrom(peerId, discards)
  }

  /** A try that crashed, or whose answer was lost, may have left a copy of what its author thinks was never sent. */
  async function discardFrom(readerId: string, discards: readonly MessageDraft[]) {
    const deletions = new Map(
      discards.map(({ proposal, next }) => [proposal.id, next?.deletedAt ?? now]),
    )
    const copies = await takeBackWords({ storage, files, authorId: actorId, readerId, deletions })
    for (const draft of discards) {
      const copy = copies.get(draft.proposal.id)
      const next = copy ? completeOwnCopy(draft.next, copy) : draft.next
      written.set(draft.proposal.id, { ...draft, next })
    }
  }

  async function writeAccepted(peerId: string, forPeer: readonly MessageDraft[]) {
    const copies = storage.database<MessageDocument>(nameMessagesDatabase(peerId))
    const ids = forPeer.map(({ proposal }) => proposal.id)
    const { result } = await copies.update(ids, (stored) =>
      writeCopies({ actorId, drafts: forPeer, stored, now }),
    )
    for (const draft of result) written.set(draft.proposal.id, draft)
  }

  function giveUp(readerId: string, forPeer: readonly MessageDraft[], error: unknown) {
    onError(error)
    for (const draft of forPeer) {
      const messageId = draft.proposal.id
      const deletedAt = draft.next?.deletedAt
      const debt = { authorId: actorId, readerId, messageId }
      if (deletedAt !== undefined) owed.push({ ...debt, deletedAt })
      else {
        written.set(messageId, refuseUnwritten(actorId, draft, now))
        if (draft.effect === 'deliver') owed.push(debt)
      }
    }
  }

  await Promise.all(
    [...byPeer].map(([peerId, forPeer]) =>
      // A dropped line to the database is good again at the second try.
      writeTo(peerId, forPeer)
        .catch(() => writeTo(peerId, forPeer))
        .catch((error: unknown) => giveUp(peerId, forPeer, error)),
    ),
  )
  return { copied: drafts.map((draft) => written.get(draft.proposal.id) ?? draft), owed }
}

function refuseUnwritten(actorId: string, draft: MessageDraft, now: number): MessageDraft {
  const { stored } = draft
  const proposed = must(draft.next, 'an accepted message')
  const refusal = refuse('recipient_unavailable')
  const next =
    draft.effect === 'amend' && stored
      ? refuseChange({ stored, proposed, refusal })
      : failMessage({ actorId, stored, proposed, refusal, now })
  return { ...draft, next, refusal, effect: 'own' }
}

const isDiscard = ({ next }: MessageDraft) => next !== undefined && isDiscarded(next)

/** A blocked person's words do not arrive, neither as a new message nor as an edit; a deletion only takes away. */
function isForPeer({ effect, reach, next }: MessageDraft): boolean {
  if (effect === 'deliver') return reach === 'delivered'
  if (effect !== 'amend') return false
  return reach === 'delivered' || (reach === 'held' && next?.deletedAt !== undefined)
}

function writeCopies(options: {
  actorId: string
  drafts: readonly MessageDraft[]
  stored: ReadonlyMap<string, MessageDocument>
  now: number
}) {
  const { actorId, drafts, stored, now } = options
  const put: MessageDocument[] = []
  const result = drafts.map((draft): MessageDraft => {
    const accepted = must(draft.next, 'an accepted message')
    const copy = stored.get(draft.proposal.id)
    // A message that was held back when it was sent has no copy to amend, and gets none.
    if (!copy && draft.effect === 'amend') return draft
    const written = writePeerCopy({ stored: copy, accepted, now })
    if (written.kind === 'refuse') {
      const { refusal } = written
      const next = failMessage({ actorId, stored: draft.stored, proposed: accepted, refusal, now })
      return { ...draft, next, refusal, effect: 'own' }
    }
    if (written.kind === 'store') put.push(written.next)
    return copy ? { ...draft, next: { ...accepted, orderedAt: copy.orderedAt } } : draft
  })
  return { put, result }
}
