import type { CommandContext } from '../storage/command-context.ts'
import { changeMessage } from './change-message.ts'

/** Dismisses the note about a refused change of this message. */
export async function dismissRefusal(context: CommandContext, messageId: string): Promise<void> {
  await changeMessage(context.database.messages, messageId, (message) =>
    message.refused && !message.refused.isDismissed
      ? { ...message, refused: { ...message.refused, isDismissed: true } }
      : message,
  )
}
