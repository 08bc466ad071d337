import type { MessageDecision } from '../../../schema/decide-message.ts'
import { areMessagesEqual } from '../../../schema/merge-messages.ts'
import {
  isAccepted,
  isDiscarded,
  type LostSpan,
  type MessageDocument,
  messageDocument,
} from '../../../schema/message.ts'
import { type Refusal, refuse } from '../../../schema/refusal.ts'
import { salvageMessage } from '../../../schema/salvage-message.ts'
import type { Reach } from '../../access/relations.ts'
import type { Proposal } from './proposal.ts'

/** A proposal with whatever part of it parses. */
export interface MessageProposal extends Proposal {
  message: MessageDocument | undefined
}

/** What to write for one proposal, as far as the rule can say before anything is written. */
export interface MessageDraft {
  proposal: MessageProposal
  stored: MessageDocument | undefined
  /** The next own copy; undefined only if there was none and the proposal creates none. */
  next: MessageDocument | undefined
  effect: 'none' | 'own' | 'deliver' | 'amend'
  /** Whether the sender may reach the recipient. */
  reach: Reach
  refusal?: Refusal
}

type DraftedCopy = Pick<MessageDraft, 'next' | 'effect' | 'refusal'>

/** A message acknowledged once and lost by the server, which its author's device returns. */
export function isReturned({ proposal, effect }: Pick<MessageDraft, 'proposal' | 'effect'>) {
  return effect === 'deliver' && proposal.message?.status === 'sent'
}

/**
 * After a restore an author's device says that it was acknowledged; a crash may have interrupted
 * the first return.
 */
export function isGivenBack(
  { proposal: { message } }: Pick<MessageDraft, 'proposal'>,
  { actorId, lost }: { actorId: string; lost: readonly LostSpan[] },
): boolean {
  return lost.length > 0 && message?.senderId === actorId && message.status === 'sent'
}

/** Returned into the giver's copy alone: by its reader, or by its author after the reader left. */
export function isTakenBack({ stored, next, effect }: MessageDraft): boolean {
  return effect === 'own' && stored === undefined && next !== undefined && isAccepted(next)
}

export function readMessageProposal(proposal: Proposal): MessageProposal {
  if (proposal.isDeleted) return { ...proposal, message: undefined }
  const parsed = messageDocument.safeParse(proposal.raw)
  return { ...proposal, message: parsed.success ? parsed.data : undefined }
}

/** What the rule's decision makes of the own copy. */
export function toDrafted(
  decision: MessageDecision,
  stored: MessageDocument | undefined,
): DraftedCopy {
  if (decision.kind === 'keep') return { next: stored, effect: 'none' }
  if (decision.kind === 'accept') return { next: decision.next, effect: decision.effect }
  const { next, refusal } = decision
  const isNews = !stored || !areMessagesEqual(stored, next)
  return { next, refusal, effect: isNews ? 'own' : 'none' }
}

/**
 * Must the other person's copy be brought in line, though the rule alone would not touch it?
 * @param isPeerTouched an earlier try wrote one of the copies for this proposal before the other
 * changed underneath: bring both in line again, whatever the rule now says
 */
export function mustAmend(
  drafted: DraftedCopy,
  known: { actorId: string; stored: MessageDocument | undefined; isPeerTouched: boolean },
): boolean {
  const { next, effect } = drafted
  if (!next || effect === 'deliver') return false
  const isOwn = next.senderId === known.actorId
  if (known.isPeerTouched) return isAccepted(next) || (isOwn && isDiscarded(next))
  return isOwn && isNewDiscard(drafted, known.stored)
}

/** The rule cannot know whether a crashed try left the other person a copy: look it up. */
function isNewDiscard(
  { next, refusal }: Pick<MessageDraft, 'next' | 'refusal'>,
  stored: MessageDocument | undefined,
): boolean {
  return !refusal && next !== undefined && isDiscarded(next) && stored?.deletedAt === undefined
}

/**
 * P6: returns an unparsable document to its author, and keeps the stored one. A deletion changes
 * nothing.
 */
export function draftUnread(draft: {
  actorId: string
  proposal: MessageProposal
  stored: MessageDocument | undefined
  now: number
}): DraftedCopy {
  const { actorId, proposal, stored, now } = draft
  if (proposal.isDeleted) return { next: stored, effect: 'none' }
  const refusal = refuse('unreadable')
  const salvaged = salvageMessage({ id: proposal.id, actorId, raw: proposal.raw, now })
  if (!stored) return { next: salvaged, refusal, effect: 'own' }
  if (stored.refused?.code === refusal.code || stored.errorCode === refusal.code) {
    return { next: stored, refusal, effect: 'none' }
  }
  const at = Math.max(stored.refused?.at ?? 0, stored.editedAt ?? 0) + 1
  // Already truncated: kept for its author only.
  const { content } = salvaged
  const refused = { at, ...refusal, ...(content && content !== stored.content ? { content } : {}) }
  return { next: { ...stored, refused }, refusal, effect: 'own' }
}
