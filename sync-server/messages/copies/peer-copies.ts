import { blankDeleted } from '../../../schema/blank-deleted.ts'
import { failMessage } from '../../../schema/decide-message.ts'
import { must } from '../../../schema/helpers/assertions.ts'
import { mergeMessages, mergeRegisters } from '../../../schema/merge-messages.ts'
import { isDiscarded, type MessageDocument } from '../../../schema/message.ts'
import { jointRegisters } from '../../../schema/message-registers.ts'
import { copyForAuthor, writePeerCopy } from '../../../schema/peer-copy.ts'
import { refuseChange } from '../../../schema/permit-message-change.ts'
import { refuse } from '../../../schema/refusal.ts'
import type { MessageDraft } from '../proposals/message-draft.ts'

/**
 * Does a draft concern the other person's copy? A blocked person's words do not; a deletion does.
 */
export function isForPeer({ effect, reach, next }: MessageDraft): boolean {
  if (effect === 'deliver') return reach === 'delivered'
  if (effect !== 'amend') return false
  return reach === 'delivered' || (reach === 'held' && next?.deletedAt !== undefined)
}

/**
 * Drafts the other person's copies of accepted messages. Pure.
 * @param stored their existing copies
 * @param touched messages of which an earlier try of this delivery may have written a copy
 * @returns what to write, and the resulting drafts: refused when another message has the id there,
 * and in the place that an earlier try gave; `blanked`: former copies whose files go
 */
export function draftPeerCopies(options: {
  actorId: string
  drafts: readonly MessageDraft[]
  stored: ReadonlyMap<string, MessageDocument>
  touched: ReadonlySet<string>
  now: number
}): { put: MessageDocument[]; drafts: MessageDraft[]; blanked: MessageDocument[] } {
  const { actorId, stored, touched, now } = options
  const put: MessageDocument[] = []
  const blanked: MessageDocument[] = []
  const drafts = options.drafts.map((draft): MessageDraft => {
    if (!isForPeer(draft)) return draft
    const accepted = must(draft.next, 'an accepted message')
    const copy = stored.get(draft.proposal.id)
    if (isDiscarded(accepted)) {
      const theirs = copy?.senderId === actorId && copy.recipientId === accepted.recipientId
      if (!copy || !theirs) return draft
      // A crashed try, or one with a lost answer, left a copy that its author thinks was never
      // sent.
      const blank = blankDeleted({ ...copy, deletedAt: copy.deletedAt ?? accepted.deletedAt })
      put.push(blank)
      blanked.push(copy)
      return { ...draft, next: completeOwnCopy(accepted, blank) }
    }
    // A message withheld at sending has no copy to amend, and gets none.
    if (!copy && draft.effect === 'amend') return draft
    // On redelivery its place was determined; otherwise the copy's counts.
    const isPlaced = copy !== undefined && draft.effect === 'deliver'
    const inPlace = isPlaced ? { ...copy, orderedAt: accepted.orderedAt } : copy
    const isOnlyChange = draft.effect === 'amend' && !touched.has(draft.proposal.id)
    const before = isOnlyChange ? draft.stored : undefined
    const written = writePeerCopy({ stored: inPlace, accepted, before, now })
    if (written.kind === 'refuse') {
      const { refusal } = written
      const next = failMessage({ actorId, stored: draft.stored, proposed: accepted, refusal, now })
      return { ...draft, next, refusal, effect: 'own' }
    }
    if (written.kind === 'store') put.push(written.next)
    else if (inPlace && inPlace.orderedAt !== copy?.orderedAt) put.push(inPlace)
    // The own copy may have been completed after the look at its file found none.
    if (accepted.deletedAt !== undefined && copy?.mediaUrl !== undefined) blanked.push(copy)
    return inPlace ? { ...draft, next: joinCopies(accepted, inPlace) } : draft
  })
  return { put, drafts, blanked }
}

/** The own copy in the peer copy's place, with what both people changed. */
function joinCopies(own: MessageDocument, peers: MessageDocument): MessageDocument {
  const { orderedAt } = peers
  return blankDeleted({ ...own, orderedAt, ...mergeRegisters(jointRegisters, own, peers) })
}

/**
 * A draft while the other person's database is unavailable: refused and unacknowledged (P3), so
 * that its author can resend. A deletion stands: nobody should have to accept a refused one.
 */
export function refuseUnwritten(draft: MessageDraft, actorId: string, now: number): MessageDraft {
  const { stored } = draft
  const proposed = must(draft.next, 'an accepted message')
  if (proposed.deletedAt !== undefined) return { ...draft, effect: 'own' }
  const refusal = refuse('recipient_unavailable')
  const next =
    draft.effect === 'amend' && stored
      ? refuseChange({ actorId, stored, proposed, refusal })
      : failMessage({ actorId, stored, proposed, refusal, now })
  return { ...draft, next, refusal, effect: 'own' }
}

/** The author's copy of a delivered message, even if the author holds it for failed. */
export function completeOwnCopy(
  before: MessageDocument | undefined,
  readersCopy: MessageDocument,
): MessageDocument {
  const { _rev, ...copy } = readersCopy as MessageDocument & { _rev?: string }
  const acceptedAt = copy.statusHistory[0]?.timestamp ?? copy.orderedAt
  const own = copyForAuthor(copy, acceptedAt)
  // Delivered means sent, however often its author got a failure.
  const attempt = Math.max(before?.attempt ?? 0, own.attempt)
  return before ? mergeMessages(before, { ...own, attempt }) : own
}
