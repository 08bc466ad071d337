import {
  areConversationsEqual,
  type ConversationDocument,
  channelOf,
  clampFlagTimes,
  conversationDocument,
  mergeConversations,
  newConversation,
  withoutChannel,
} from './conversation.ts'
import type { LostSpan } from './message.ts'
import { claimPeerMarks } from './peer-marks.ts'

export interface ConversationProposal {
  stored: ConversationDocument | undefined
  proposed: ConversationDocument
  /** What the server forgot when a backup was restored. */
  lost?: readonly LostSpan[]
  /** A business channel proposes it: only the channel's own fields count. */
  isFromProvider?: boolean
  /** The server's time, epoch ms. */
  now: number
}

/** Half-open range of `orderedAt`: above `after`, up to and including `upTo`. */
export interface ReceiptRange {
  after: number
  upTo: number
}

export type ConversationDecision =
  | { kind: 'keep' }
  | {
      kind: 'accept'
      next: ConversationDocument
      /** The range that the reader's marks newly cover: raise the author's copies. */
      delivered?: ReceiptRange
      read?: ReceiptRange
    }

/**
 * The rule for conversations (P4): everything in them is the owner's, but no time may lie ahead.
 */
export function decideConversation(proposal: ConversationProposal): ConversationDecision {
  const stored = proposal.stored ?? newConversation(proposal.proposed._id)
  const next = proposal.isFromProvider
    ? mergeConversations(stored, { ...stored, ...channelOf(proposal.proposed) })
    : permitConversationChange({ ...proposal, stored })
  if (proposal.stored && areConversationsEqual(stored, next)) return { kind: 'keep' }
  const delivered = riseOf(stored.deliveredUpTo, next.deliveredUpTo)
  const read = riseOf(stored.readUpTo, next.readUpTo)
  return { kind: 'accept', next, ...(delivered && { delivered }), ...(read && { read }) }
}

/**
 * The stored conversation with every change that the proposal may make. Clamps a device's flags to
 * `now`, its marks to the newest message or `now`. A device applies the same function to the
 * server's version, so a fast clock cannot win for hours.
 */
export function permitConversationChange(change: {
  stored: ConversationDocument
  proposed: ConversationDocument
  lost?: readonly LostSpan[]
  now: number
}): ConversationDocument {
  const { stored, proposed, lost = [], now } = change
  const newest = Math.max(now, stored.lastMessageAt)
  const isLastAhead = (proposed.lastMessage?.orderedAt ?? 0) > newest
  const { lastMessage, ...rest } = withoutChannel(proposed)
  // Only the server says how far the other person is: now, or before it forgot.
  const { peerDeliveredUpTo, peerReadUpTo, peerMarks, peerSilences } = claimPeerMarks(
    { stored, claimed: proposed },
    Math.max(0, ...lost.map(({ upTo }) => upTo)),
  )
  return mergeConversations(stored, {
    ...rest,
    peerDeliveredUpTo,
    peerReadUpTo,
    peerMarks,
    peerSilences,
    _id: stored._id,
    ...clampFlagTimes(proposed, now),
    readUpTo: Math.min(proposed.readUpTo, newest),
    deliveredUpTo: Math.min(proposed.deliveredUpTo, newest),
    clearedUpTo: Math.min(proposed.clearedUpTo, newest),
    ...(lastMessage && !isLastAhead ? { lastMessage } : {}),
    lastMessageAt: isLastAhead ? stored.lastMessageAt : Math.min(proposed.lastMessageAt, newest),
  })
}

/**
 * Builds a conversation from a document that does not parse: every readable part, defaults for the
 * rest. `id` must be a valid id.
 */
export function salvageConversation(
  id: string,
  raw: Record<string, unknown>,
): ConversationDocument {
  const readable = newConversation(id)
  for (const field of Object.keys(conversationDocument.shape)) {
    if (field === '_id' || raw[field] === undefined) continue
    const candidate = conversationDocument.safeParse({ ...readable, [field]: raw[field] })
    if (candidate.success) Object.assign(readable, candidate.data)
  }
  return readable
}

function riseOf(before: number, now: number): ReceiptRange | undefined {
  return now > before ? { after: before, upTo: now } : undefined
}
