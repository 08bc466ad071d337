import { blankDeleted } from '../../../schema/blank-deleted.ts'
import type { CommandContext } from '../storage/command-context.ts'
import { changeMessage } from './change-message.ts'

/**
 * Deletes an own message for both people; its place stays, its words go. Discards an unsent one: no
 * screen shows it, and it never leaves the device.
 */
export async function deleteMessage(context: CommandContext, messageId: string): Promise<void> {
  await changeMessage(context.database.messages, messageId, (message) =>
    message.senderId !== context.userId || message.deletedAt !== undefined
      ? message
      : blankDeleted({ ...message, deletedAt: context.now() }),
  )
}
