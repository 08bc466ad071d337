import type { ConversationDocument } from '../../../schema/conversation.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import type { Outcome, Proposal } from '../proposals/proposal.ts'

export interface AcceptRequest {
  actorId: string
  /** The sign-in that asks, where one does. */
  sessionId?: string | undefined
  proposals: readonly Proposal[]
}

/** A request and its outcomes, in the order of its proposals. */
export interface Accepted<Doc> extends AcceptRequest {
  outcomes: readonly Outcome<Doc>[]
}

/** Hears about each request once everything of it is written. Returns at once, and never throws. */
export interface AcceptanceListener {
  onMessages(accepted: Accepted<MessageDocument>): void
  onConversations(accepted: Accepted<ConversationDocument>): void
}

/** The stored outcomes of what people proposed; what the business channel wrote is not theirs. */
export function listStoredOfPeople<Doc>({ proposals, outcomes }: Accepted<Doc>) {
  return outcomes.flatMap((outcome, index) => {
    const proposal = proposals[index]
    if (outcome.kind !== 'stored' || !proposal || proposal.isFromProvider) return []
    return [{ ...outcome, proposal }]
  })
}
