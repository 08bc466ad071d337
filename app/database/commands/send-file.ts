import type { CommandContext } from '../storage/command-context.ts'
import { beginConversation } from './change-conversation.ts'
import type { OutgoingFile } from './outgoing-file.ts'

/**
 * Stores a message and its file on the device (P1). The upload waits for the network: a message
 * with a file but no address of it is owed (P11).
 *
 * @returns the id that the message has for life (P2)
 * @throws with words for a person when the device cannot store it: then neither is stored
 */
export async function sendFile(context: CommandContext, outgoing: OutgoingFile): Promise<string> {
  const { storeFileMessage } = await import('./store-file-message.ts')
  const message = await storeFileMessage(context, outgoing)
  // Both are stored by now: a failure here must not make their author resend them.
  await beginConversation(context.database.conversations, message).catch(() => {})
  return message._id
}
