import { v7 as createId } from 'uuid'
import type { AttachedFile } from '../../../schema/attached-file.ts'
import type { MediaType } from '../../../schema/media.ts'
import { messageDocument } from '../../../schema/message.ts'
import { refuseText } from '../../../schema/permit-message-change.ts'
import { beginConversation } from '../change-conversation.ts'
import { createFileShelf } from '../files/file-shelf.ts'
import { toStoredMessage } from '../stored-message.ts'
import type { CommandContext } from './command-context.ts'

export interface OutgoingFile {
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
 * Writes a message and its file into the device's database in one transaction (P1). It is uploaded when there is a
 * network: what is owed is read from the message, which has a file and no address of it yet (P11).
 *
 * @returns the id that the message has for life (P2).
 * @throws with words for a person when the device cannot store it: then neither is stored
 */
export async function sendFile(context: CommandContext, outgoing: OutgoingFile): Promise<string> {
  const { userId, database, now } = context
  const { peerId, bytes, about, type, replyTo } = outgoing
  const content = outgoing.content.trim()
  const refusal = refuseText({ content, file: about })
  if (refusal) throw new Error(refusal.error)
  const message = messageDocument.parse({
    ...{ _id: createId(), peerId, senderId: userId, recipientId: peerId },
    ...{ content, type, file: about, createdAt: now() },
    orderedAt: await database.places.takeNext(peerId),
    ...(replyTo && { replyTo }),
  })
  const insert = () => database.messages.insert(toStoredMessage(message))
  const shelf = createFileShelf(context)
  await shelf.storeWith(message._id, bytes, insert).catch((cause: unknown) => {
    const words = `This device couldn't store “${about.name}”. Free up some space, then send it again.`
    throw new Error(words, { cause })
  })
  // Both are kept by now: a failure here must not make their author send them twice.
  await beginConversation(database.conversations, message).catch(() => {})
  return message._id
}
