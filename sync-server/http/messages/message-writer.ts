import { decideMessage } from '../../../schema/decide-message.ts'
import type { GroupRefusal } from '../../../schema/group.ts'
import { idPattern } from '../../../schema/id.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import type { Refusal } from '../../../schema/refusal.ts'
import { retryOvertaken } from '../../lib/retry-overtaken.ts'
import type { Acceptance } from '../../messages/message-acceptance.ts'
import { type NewMessage, type Outcome, proposeMessage } from '../../messages/proposals/proposal.ts'
import { RequestRefused } from '../core/request-refused.ts'
import type { OwnMessages } from './own-messages.ts'

export type MessageWriter = ReturnType<typeof createMessageWriter>

type Taken = Extract<Outcome<MessageDocument>, { kind: 'stored' }>

const overtaken = { tries: 5, giveUp: () => new RequestRefused('busy') }

/** Sends the API's message changes through the one way in (P4), and maps their refusals. */
export function createMessageWriter(options: {
  messages: OwnMessages
  acceptMessages: Acceptance['acceptMessages']
}) {
  const { messages, acceptMessages } = options

  /** Resends a refused message under its own id, with the new content. */
  async function propose(sent: Sent, id: string | undefined) {
    const message = { ...sent.message, _id: id }
    const proposal = proposeMessage({ ...sent, message })
    const stored = id === undefined ? undefined : await messages.findStored(sent.senderId, id)
    if (stored?.status !== 'failed') return { proposal, isRetry: false }
    const { attempt } = stored
    const again = { ...proposal.raw, attempt: attempt + 1, editedAt: Date.now() }
    return { proposal: { ...proposal, raw: again }, isRetry: true }
  }

  return {
    /**
     * Sends a message. Idempotent by id (P2).
     * @returns the stored message; a refused one is stored as failed, with the reason (P6)
     */
    async send(sent: Sent): Promise<{
      message: MessageDocument
      isCreated: boolean
      refusal: Refusal | undefined
    }> {
      if (!idPattern.test(sent.recipientId)) throw new RequestRefused('unknown_person')
      const { proposal, isRetry } = await propose(sent, sent.message._id)
      const [outcome] = await acceptMessages({ actorId: sent.senderId, proposals: [proposal] })
      const { doc, isNew, refusal } = requireStored(outcome)
      return { message: doc, isCreated: isNew || isRetry, refusal }
    },

    /**
     * Changes a message in the name of `actorId`.
     * @param propose makes the wanted version from the stored one
     * @param isDone does the stored version have the change? Another change of the same millisecond
     * may have won
     * @param isForAuthor refuses everybody else, even if nothing would change
     * @throws RequestRefused with the rule's reason; `message_not_found` for what the actor does
     * not have
     */
    async change(asked: {
      actorId: string
      id: string
      propose: (stored: MessageDocument, now: number) => MessageDocument
      isDone: (stored: MessageDocument) => boolean
      isForAuthor?: boolean
    }): Promise<MessageDocument> {
      const { actorId, id } = asked
      return await retryOvertaken(async () => {
        const raw = { ...asked.propose(await messages.find(actorId, id), Date.now()) }
        const proposals = [{ id, raw, isDeleted: false }]
        const [outcome] = await acceptMessages({ actorId, proposals })
        const { doc, refusal } = requireStored(outcome)
        throwRefusal(refusal)
        if (asked.isForAuthor && doc.senderId !== actorId) throw new RequestRefused('not_author')
        return asked.isDone(doc) ? doc : 'again'
      }, overtaken)
    },

    /**
     * Deletes all of these messages of the actor's own, or none.
     * @throws RequestRefused `message_not_found`, `not_author`
     */
    async removeAll(actorId: string, ids: readonly string[]): Promise<void> {
      const stored = await Promise.all(ids.map((id) => messages.find(actorId, id)))
      const now = Date.now()
      const proposed = stored.map((message) => ({
        ...message,
        deletedAt: message.deletedAt ?? now,
      }))
      for (const [index, message] of proposed.entries()) {
        const asked = { actorId, stored: stored[index], proposed: message, now }
        const decision = decideMessage({ ...asked, isRecipientKnown: true })
        if (decision.kind === 'refuse') throwRefusal(decision.refusal)
      }
      const proposals = proposed.map((raw) => ({ id: raw._id, raw, isDeleted: false }))
      for (const outcome of await acceptMessages({ actorId, proposals })) {
        throwRefusal(requireStored(outcome).refusal)
      }
    },
  }
}

interface Sent {
  senderId: string
  recipientId: string
  message: NewMessage
}

/** @throws RequestRefused when there is a reason */
export function throwRefusal(refusal: Refusal | GroupRefusal | undefined): void {
  if (refusal) throw new RequestRefused(refusal.code, { words: refusal.error })
}

function requireStored(outcome: Outcome<MessageDocument> | undefined): Taken {
  if (outcome?.kind === 'stored') return outcome
  if (outcome?.kind === 'heldBack') throwRefusal(outcome.refusal)
  throw new Error('what was no deletion is not stored')
}
