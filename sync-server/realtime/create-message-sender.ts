import type { ServerEvent } from '../../schema/socket-events.ts'
import type { Acceptance } from '../sync/create-acceptance.ts'
import { type NewMessage, proposeMessage } from '../sync/propose-message.ts'
import type { SendMessage } from './create-event-handler.ts'

/** Puts a message that came by `send-message` through the one way in (P4); its author hears of a refusal. */
export function createMessageSender(options: {
  acceptMessages: Acceptance['acceptMessages']
}): SendMessage {
  return async (connection, { recipientId, message }) => {
    const { userId } = connection.caller
    const written: NewMessage = typeof message === 'string' ? { content: message } : message
    const proposal = proposeMessage({ senderId: userId, recipientId, message: written })
    const [outcome] = await options.acceptMessages({ actorId: userId, proposals: [proposal] })
    if (outcome?.kind !== 'stored' || !outcome.refusal) return
    const { code, error } = outcome.refusal
    const event: ServerEvent = {
      event: 'message-refused',
      data: { messageId: outcome.id, code, error },
    }
    connection.send(JSON.stringify(event))
  }
}
