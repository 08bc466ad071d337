import { v7 as createId } from 'uuid'
import { type MessageDocument, messageDocument } from '../../../schema/message.ts'
import { refuseText } from '../../../schema/permit-message-change.ts'
import { createFileStore } from '../files/file-store.ts'
import type { CommandContext } from '../storage/collections.ts'
import { toStoredMessage } from '../storage/stored-message.ts'
import { findMentioned, withMentions } from './find-mentioned.ts'
import type { OutgoingFile } from './send-file.ts'

/**
 * Writes a message and its file into the device's database in one transaction.
 * @throws with words for a person when the device cannot store it: then neither is stored
 */
export async function storeFileMessage(
  context: CommandContext,
  outgoing: OutgoingFile,
): Promise<MessageDocument> {
  const { userId, database, now } = context
  const { peerId, bytes, about, type, replyTo } = outgoing
  const content = outgoing.content.trim()
  const refusal = refuseText({ content, file: about })
  if (refusal) throw new Error(refusal.error)
  const mentioned = await findMentioned(context, { peerId, content })
  const written = messageDocument.parse({
    _id: outgoing.id ?? createId(),
    peerId,
    senderId: userId,
    recipientId: peerId,
    content,
    type,
    file: about,
    createdAt: now(),
    orderedAt: await database.places.nextOrderedAt(peerId),
    ...(replyTo && { replyTo }),
  })
  const message = withMentions(written, mentioned)
  const insert = () =>
    database.messages.insert(toStoredMessage(database.sealing.seal(message, undefined), userId))
  await createFileStore(context)
    .storeWith(message._id, bytes, insert)
    .catch((cause: unknown) => {
      const words = `This device couldn't store “${about.name}”. Free up some space, then send it again.`
      throw new Error(words, { cause })
    })
  return message
}
