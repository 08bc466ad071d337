import type { AttachedFile } from '../../../schema/attached-file.ts'
import type { MediaType } from '../../../schema/media.ts'
import type { CommandContext } from '../storage/collections.ts'
import { beginConversation } from './change-conversation.ts'

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

export interface OutgoingFile {
  /** Its preassigned id, if any: sent twice, it is one message (P2). */
  id?: string
  peerId: string
  bytes: Blob
  about: AttachedFile
  /** The apparent type; the server checks the bytes. */
  type: MediaType
  /** The caption; empty for none. */
  content: string
  /** The id of the answered message. */
  replyTo?: string
}
