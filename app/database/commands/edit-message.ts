import type { MessageDocument } from '../../../schema/message.ts'
import { refuseText } from '../../../schema/permit-message-change.ts'
import type { CommandContext } from '../storage/command-context.ts'
import { changeMessage, laterThan } from './change-message.ts'
import { sendAgain } from './retry-message.ts'

/**
 * Replaces an own message's text. A pending message is sent with the new text; a refused one is
 * sent again with it.
 *
 * @throws with words for a person when the text is not a valid message
 */
export async function editMessage(
  context: CommandContext,
  edit: { messageId: string; content: string },
): Promise<void> {
  const { userId, database, now } = context
  const content = edit.content.trim()
  await changeMessage(database.messages, edit.messageId, (message) => {
    if (message.senderId !== userId || message.deletedAt !== undefined) return message
    const refusal = refuseText({ ...message, content })
    if (refusal) throw new Error(refusal.error)
    if (content === message.content && message.status !== 'failed') return message
    const edited: MessageDocument = {
      ...message,
      content,
      editedAt: laterThan(now(), message.editedAt, message.refused?.at),
    }
    return message.status === 'failed' ? sendAgain(edited) : edited
  })
}
