import type { AttachedFile } from '../../../schema/attached-file.ts'
import type { MediaType } from '../../../schema/media.ts'
import type { CommandContext } from '../storage/command-context.ts'
import { beginConversation } from './change-conversation.ts'

export interface OutgoingFile {
  /** Where it has one already: sent twice, it is one message (P2). */
  id?: string
  peerId: string
  bytes: Blob
  about: AttachedFile
  /** What it seems to be; the server looks at the bytes. */
  type: MediaType
  /** The words beneath it; empty for none. */
  content: string
  /** The id of the message that is answered. */
  replyTo?: string
}

/**
 * Keeps a message and its file on the device (P1). It is uploaded when there is a network: what is owed is read from the
 * message, which has a file and no address of it yet (P11).
 *
 * @returns the id that the message has for life (P2).
 * @throws with words for a person when the device cannot store it: then neither is stored
 */
export async function sendFile(context: CommandContext, outgoing: OutgoingFile): Promise<string> {
  const { storeFileMessage } = await import('./store-file-message.ts')
  const message = await storeFileMessage(context, outgoing)
  // Both are kept by now: a failure here must not make their author send them twice.
  await beginConversation(context.database.conversations, message).catch(() => {})
  return message._id
}
