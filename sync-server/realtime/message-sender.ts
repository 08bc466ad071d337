import { describeError } from '../../schema/api/api-error.ts'
import type { ServerEvent } from '../../schema/api/socket-events.ts'
import { RequestRefused } from '../http/core/request-refused.ts'
import type { Acceptance } from '../messages/message-acceptance.ts'
import { type NewMessage, proposeMessage } from '../messages/proposals/proposal.ts'
import type { SendMessage } from './event-handler.ts'

/** Sends a `send-message` event through the one way in (P4); notifies its author of a refusal. */
export function createMessageSender(options: {
  acceptMessages: Acceptance['acceptMessages']
}): SendMessage {
  return async (connection, { recipientId, message }) => {
    const { userId } = connection.caller
    const written: NewMessage = typeof message === 'string' ? { content: message } : message
    const proposal = proposeMessage({ senderId: userId, recipientId, message: written })
    const tellRefused = ({ code, error }: { code: string; error: string }) => {
      const data = { messageId: proposal.id, code, error }
      const event: ServerEvent = { event: 'message-refused', data }
      connection.send(JSON.stringify(event))
    }
    try {
      const [outcome] = await options.acceptMessages({ actorId: userId, proposals: [proposal] })
      if (outcome?.kind !== 'absent' && outcome?.refusal) tellRefused(outcome.refusal)
    } catch (cause) {
      // No replication retries for this caller (P6).
      if (cause instanceof RequestRefused) {
        return tellRefused({ code: cause.reason, error: cause.message })
      }
      tellRefused({ code: 'internal_error', ...describeError('internal_error') })
      throw cause
    }
  }
}
