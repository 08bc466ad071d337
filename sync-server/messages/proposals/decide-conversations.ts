import {
  areConversationsEqual,
  type ConversationDocument,
  clampFlagTimes,
  conversationDocument,
} from '../../../schema/conversation.ts'
import { decideConversation, salvageConversation } from '../../../schema/decide-conversation.ts'
import type { LostSpan } from '../../../schema/message.ts'
import { clockSlackMs, type Proposal } from './proposal.ts'

/** One person's proposals about the conversation with another, and the server's decision. */
export interface ConversationDraft {
  proposal: Proposal
  /** The stored conversation with all changes accepted so far; undefined if there is none. */
  next: ConversationDocument | undefined
  isNew: boolean
  isTaken: boolean
  isClamped?: boolean
}

/** A reader's marks that rise from `before` to `upTo`: each is an `orderedAt`. */
export interface MarkRise {
  before: { deliveredUpTo: number; readUpTo: number }
  upTo: { deliveredUpTo: number; readUpTo: number }
}

/**
 * Applies the rule (P4) to each proposal, on top of the one before. Pure.
 * @param lost what the server lost in a restore
 * @param now the limit for device clocks, epoch ms: now, or the newest message if that is later
 * @returns `rise` when a mark rose: tell the author
 */
export function decideConversations(options: {
  proposals: readonly Proposal[]
  stored: ConversationDocument | undefined
  lost?: readonly LostSpan[]
  now: number
}): { drafts: ConversationDraft[]; next: ConversationDocument | undefined; rise?: MarkRise } {
  const { proposals, stored, lost = [], now } = options
  let current = stored
  const drafts = proposals.map((proposal): ConversationDraft => {
    const before = current
    const isNew = !before
    if (proposal.isDeleted) return { proposal, next: before, isNew: false, isTaken: false }
    const parsed = conversationDocument.safeParse(proposal.raw)
    const proposed = parsed.success ? parsed.data : salvageConversation(proposal.id, proposal.raw)
    const { isFromProvider = false } = proposal
    const decision = decideConversation({ stored: before, proposed, lost, isFromProvider, now })
    if (decision.kind === 'accept') current = decision.next
    const isSame = current !== undefined && areConversationsEqual(current, proposed)
    const isClamped =
      !isSame && !isFromProvider && isAhead(proposed, { before, now: now + clockSlackMs })
    return {
      proposal,
      next: current,
      isNew,
      isTaken: isSame || decision.kind === 'accept',
      ...(isClamped && { isClamped }),
    }
  })
  const rise = findRise(stored, current)
  return { drafts, next: current, ...(rise && { rise }) }
}

/** Does a flag's time or a mark lie where the rule puts another in its place? */
function isAhead(
  proposed: ConversationDocument,
  { before, now }: { before: ConversationDocument | undefined; now: number },
): boolean {
  const newest = Math.max(now, before?.lastMessageAt ?? 0)
  const { readUpTo, deliveredUpTo, clearedUpTo } = proposed
  return (
    Math.max(readUpTo, deliveredUpTo, clearedUpTo) > newest ||
    !areConversationsEqual({ ...proposed, ...clampFlagTimes(proposed, now) }, proposed)
  )
}

function findRise(
  stored: ConversationDocument | undefined,
  next: ConversationDocument | undefined,
): MarkRise | undefined {
  if (!next) return undefined
  const before = {
    deliveredUpTo: stored?.deliveredUpTo ?? 0,
    readUpTo: stored?.readUpTo ?? 0,
  }
  const { deliveredUpTo, readUpTo } = next
  const isHigher = deliveredUpTo > before.deliveredUpTo || readUpTo > before.readUpTo
  return isHigher ? { before, upTo: { deliveredUpTo, readUpTo } } : undefined
}
