import type { MediaType } from '../../../schema/media.ts'
import { messageDocument } from '../../../schema/message.ts'
import { beginConversation } from '../change-conversation.ts'
import type { UploadedMessage } from '../requests/queued-request.ts'
import { toStoredMessage } from '../stored-message.ts'
import type { CommandContext } from './command-context.ts'

/**
 * Writes the message of a file that has been uploaded, as `sendMessage` does. Done twice it is one message.
 * @param sent.id the id that it has for life: that of its request (P2)
 * @param sent.writtenAt when its author sent it off, epoch ms
 */
export async function sendUploaded(
  { userId, database }: CommandContext,
  sent: {
    id: string
    writtenAt: number
    message: UploadedMessage
    file: { mediaUrl: string; type: MediaType }
  },
): Promise<void> {
  const { id, writtenAt, message, file } = sent
  if (await database.messages.findOne(id).exec()) return
  const { peerId, content, replyTo } = message
  const document = messageDocument.parse({
    ...{ _id: id, peerId, senderId: userId, recipientId: peerId, createdAt: writtenAt },
    ...{ content: content.trim(), type: file.type, mediaUrl: file.mediaUrl },
    orderedAt: await database.places.takeNext(peerId),
    ...(replyTo && { replyTo }),
  })
  await database.messages.insert(toStoredMessage(document))
  await beginConversation(database.conversations, document).catch(() => {})
}
