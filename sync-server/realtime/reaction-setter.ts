import { describeError } from '../../schema/api/api-error.ts'
import type { ServerEvent } from '../../schema/api/socket-events.ts'
import { react } from '../../schema/reaction.ts'
import { RequestRefused } from '../http/core/request-refused.ts'
import type { MessageWriter } from '../http/messages/message-writer.ts'
import { refuseSealed } from '../http/messages/refuse-sealed.ts'
import type { SetReaction } from './event-handler.ts'

/** Sends a `set-reaction` event through the one way in (P4); notifies its author of a refusal. */
export function createReactionSetter(options: {
  writer: Pick<MessageWriter, 'change'>
}): SetReaction {
  return async (connection, { messageId, emoji }) => {
    const { userId } = connection.caller
    const tellRefused = ({ code, error }: { code: string; error: string }) => {
      const event: ServerEvent = { event: 'message-refused', data: { messageId, code, error } }
      connection.send(JSON.stringify(event))
    }
    try {
      await options.writer.change({
        actorId: userId,
        id: messageId,
        propose(stored, now) {
          if (stored.deletedAt !== undefined) throw new RequestRefused('message_deleted')
          if (emoji !== '') refuseSealed(stored)
          return react(stored, { userId, emoji, now })
        },
        isDone: ({ reactions }) => reactions?.[userId]?.emoji === emoji,
      })
    } catch (cause) {
      if (cause instanceof RequestRefused) {
        return tellRefused({ code: cause.reason, error: cause.message })
      }
      tellRefused({ code: 'internal_error', ...describeError('internal_error') })
      throw cause
    }
  }
}
