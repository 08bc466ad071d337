import { decideMessage } from '../../../schema/decide-message.ts'
import type { LostSpan } from '../../../schema/lost-span.ts'
import { areMessagesEqual } from '../../../schema/merge-messages.ts'
import {
  isAccepted,
  isDiscarded,
  type MessageDocument,
  messageDocument,
} from '../../../schema/message.ts'
import { type Refusal, refuse } from '../../../schema/refusal.ts'
import { salvageMessage } from '../../../schema/salvage-message.ts'
import type { Reach } from '../../access/relations.ts'
import type { Proposal } from './proposal.ts'

/** A proposal with as much of it as parses. */
export interface MessageProposal extends Proposal {
  message: MessageDocument | undefined
}

/** What is to be written for one proposal, as far as the rule can say before anything is written. */
export interface MessageDraft {
  proposal: MessageProposal
  stored: MessageDocument | undefined
  /** The own copy to be; undefined only where nothing is there, and the proposal makes nothing. */
  next: MessageDocument | undefined
  effect: 'none' | 'own' | 'deliver' | 'amend'
  /** Whether the recipient may be written to. */
  reach: Reach
  refusal?: Refusal
}

/** A message that was acknowledged once, that the server has forgotten, and that its author's device gives back. */
export function isReturned({ proposal, effect }: Pick<MessageDraft, 'proposal' | 'effect'>) {
  return effect === 'deliver' && proposal.message?.status === 'sent'
}

/**
 * An author's device says after a restore that it was acknowledged once; what came of it, a death may have cut off when
 * it was given back the first time.
 */
export function isGivenBack(
  { proposal: { message } }: Pick<MessageDraft, 'proposal'>,
  { actorId, lost }: { actorId: string; lost: readonly LostSpan[] },
): boolean {
  return lost.length > 0 && message?.senderId === actorId && message.status === 'sent'
}

/** One that is given back into its giver's copy alone: by its reader, or by its author when the reader has left. */
export function isTakenBack({ stored, next, effect }: MessageDraft): boolean {
  return effect === 'own' && stored === undefined && next !== undefined && isAccepted(next)
}

export function readMessageProposal(proposal: Proposal): MessageProposal {
  if (proposal.isDeleted) return { ...proposal, message: undefined }
  const parsed = messageDocument.safeParse(proposal.raw)
  return { ...proposal, message: parsed.success ? parsed.data : undefined }
}

/**
 * Applies the one rule (P4) to a proposal.
 * @param isPeerTouched the other person's copy was already written for this proposal, before the own copy changed
 *   under it; so it must be brought in line once more, whatever the rule now says
 */
export function draftMessage(draft: {
  actorId: string
  proposal: MessageProposal
  stored: MessageDocument | undefined
  reach: Reach
  isActorFull: boolean
  isPeerTouched: boolean
  lost: readonly LostSpan[]
  now: number
}): MessageDraft {
  const { actorId, proposal, stored, reach } = draft
  const base = { proposal, stored, reach }
  const drafted = applyRule(draft)
  const isOwn = drafted.next?.senderId === actorId
  const isSent = drafted.next !== undefined && isAccepted(drafted.next)
  const mustAmend =
    isOwn &&
    drafted.effect !== 'deliver' &&
    ((draft.isPeerTouched && isSent) || isNewDiscard(drafted, stored))
  return { ...base, ...drafted, ...(mustAmend ? { effect: 'amend' } : {}) }
}

/** The rule cannot know whether a try that crashed has left the other person a copy of it: that is looked up. */
function isNewDiscard(
  { next, refusal }: Pick<MessageDraft, 'next' | 'refusal'>,
  stored: MessageDocument | undefined,
): boolean {
  return !refusal && next !== undefined && isDiscarded(next) && stored?.deletedAt === undefined
}

function applyRule(draft: {
  actorId: string
  proposal: MessageProposal
  stored: MessageDocument | undefined
  reach: Reach
  isActorFull: boolean
  lost: readonly LostSpan[]
  now: number
}): Pick<MessageDraft, 'next' | 'effect' | 'refusal'> {
  const { actorId, proposal, stored, reach, isActorFull: isAuthorFull, lost, now } = draft
  if (proposal.isDeleted) return { next: stored, effect: 'none' }
  const proposed = proposal.message
  if (!proposed) return keepUnreadable({ actorId, proposal, stored, now })
  const isRecipientKnown = reach !== 'unknown_person'
  const channel = proposal.isFromProvider ? 'provider' : reach === 'channel' ? 'author' : undefined
  const decision = decideMessage({
    actorId,
    stored,
    proposed,
    isRecipientKnown,
    isAuthorFull,
    lost,
    channel,
    now,
  })
  switch (decision.kind) {
    case 'keep':
      return { next: stored, effect: 'none' }
    case 'accept':
      return { next: decision.next, effect: decision.effect }
    case 'refuse': {
      const { next, refusal } = decision
      const isNews = !stored || !areMessagesEqual(stored, next)
      return { next, refusal, effect: isNews ? 'own' : 'none' }
    }
  }
}

/** P6: a document that does not parse comes back to its author, and leaves what is stored as it is. */
function keepUnreadable(draft: {
  actorId: string
  proposal: MessageProposal
  stored: MessageDocument | undefined
  now: number
}): Pick<MessageDraft, 'next' | 'effect' | 'refusal'> {
  const { actorId, proposal, stored, now } = draft
  const refusal = refuse('unreadable')
  const salvaged = salvageMessage({ id: proposal.id, actorId, raw: proposal.raw, now })
  if (!stored) return { next: salvaged, refusal, effect: 'own' }
  if (stored.refused?.code === refusal.code || stored.errorCode === refusal.code) {
    return { next: stored, refusal, effect: 'none' }
  }
  const at = Math.max(stored.refused?.at ?? 0, stored.editedAt ?? 0) + 1
  // Cut already: it is kept for its author only.
  const { content } = salvaged
  const refused = { at, ...refusal, ...(content && content !== stored.content ? { content } : {}) }
  return { next: { ...stored, refused }, refusal, effect: 'own' }
}
