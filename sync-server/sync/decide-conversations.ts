import {
  areConversationsEqual,
  type ConversationDocument,
  conversationDocument,
} from '../../schema/conversation.ts'
import { decideConversation, salvageConversation } from '../../schema/decide-conversation.ts'
import type { PushedRevision } from '../storage/grow-branch.ts'
import type { Rise } from './give-receipts.ts'
import type { Proposal } from './proposal.ts'

/** A proposal as it is decided: what can be read of it, and the receipts that it brings. */
export interface ConversationDraft {
  proposal: Proposal
  /** Nothing for a deletion. */
  conversation: ConversationDocument | undefined
  /** What device clocks are held against, epoch ms: now, or the newest message where that lies ahead. */
  now: number
  rise: Rise | undefined
}

/** Reads a proposal and finds the receipts in it. */
export function draftConversation(draft: {
  readerId: string
  proposal: Proposal
  stored: ConversationDocument | undefined
  now: number
}): ConversationDraft {
  const { readerId, proposal, stored, now } = draft
  if (proposal.isDeleted) return { proposal, conversation: undefined, now, rise: undefined }
  const parsed = conversationDocument.safeParse(proposal.raw)
  const read = parsed.success ? parsed.data : salvageConversation(proposal.id, proposal.raw)
  const decision = decideConversation({ stored, proposed: read, now })
  if (decision.kind === 'keep') return { proposal, conversation: read, now, rise: undefined }
  const { deliveredUpTo, readUpTo } = decision.next
  // Receipts are given before the marks are stored, so the marks may not come out higher than they are here.
  const conversation = {
    ...read,
    deliveredUpTo: Math.min(read.deliveredUpTo, deliveredUpTo),
    readUpTo: Math.min(read.readUpTo, readUpTo),
  }
  const risen = [decision.delivered, decision.read].flatMap((mark) => (mark ? [mark.after] : []))
  const marks = { deliveredUpTo, readUpTo }
  const rise =
    risen.length > 0
      ? { readerId, authorId: proposal.id, after: Math.min(...risen), marks }
      : undefined
  return { proposal, conversation, now, rise }
}

/** What is stored next, and what becomes of each proposal. Pure. */
export function decideConversations(options: {
  drafts: readonly ConversationDraft[]
  stored: ReadonlyMap<string, ConversationDocument>
}) {
  const current = new Map(options.stored)
  const result = options.drafts.map(({ proposal: { id }, conversation, now }) => {
    const before = current.get(id)
    if (!conversation) return { id, doc: before, isNew: false, isTaken: false }
    const decision = decideConversation({ stored: before, proposed: conversation, now })
    const doc = decision.kind === 'keep' ? before : decision.next
    if (doc) current.set(id, doc)
    const isSame = doc !== undefined && areConversationsEqual(doc, conversation)
    return { id, doc, isNew: !before, isTaken: isSame || decision.kind === 'accept' }
  })
  const pushed = options.drafts.flatMap(({ proposal }): PushedRevision[] => {
    const { id, revisions, isDeleted } = proposal
    return revisions ? [{ id, revisions, isDeleted }] : []
  })
  return { put: [...current.values()], pushed, result }
}
