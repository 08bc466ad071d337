import { blankDeleted } from '../../../schema/blank-deleted.ts'
import { isAccepted } from '../../../schema/message.ts'
import type { CommandContext } from '../storage/command-context.ts'
import { changeMessage } from './change-message.ts'

/**
 * Discards an own unsent or refused message; leaves a sent one alone.
 * @returns false if the server has accepted it
 */
export async function discardMessage(context: CommandContext, messageId: string): Promise<boolean> {
  let isSent = false
  await changeMessage(context.database.messages, messageId, (message) => {
    isSent = isAccepted(message)
    return message.senderId !== context.userId || isSent || message.deletedAt !== undefined
      ? message
      : blankDeleted({ ...message, deletedAt: context.now() })
  })
  return !isSent
}
