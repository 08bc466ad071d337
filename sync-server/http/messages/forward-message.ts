import type { MessageDocument } from '../../../schema/message.ts'
import { deriveId } from '../../lib/derive-id.ts'
import { RequestRefused } from '../core/request-refused.ts'
import type { MessageWriter } from './message-writer.ts'

/**
 * Forwards a message's content to each of these people, as new messages.
 * @param key makes a repeated call idempotent
 * @returns one message for each person, in their order; refused ones are failed, with the reason
 */
export async function forwardMessage(asked: {
  writer: MessageWriter
  senderId: string
  original: MessageDocument
  recipientIds: readonly string[]
  key: string | undefined
}): Promise<MessageDocument[]> {
  const { writer, senderId, original, recipientIds, key } = asked
  if (original.deletedAt !== undefined) throw new RequestRefused('message_deleted')
  const { content, mediaUrl, file } = original
  // Templates and buttons belong to the business channel: forward their content as text.
  const isOfChannel = original.type === 'template' || original.type === 'interactive'
  const type = isOfChannel ? 'text' : original.type
  const sent = recipientIds.map(async (recipientId) => {
    const _id = key === undefined ? undefined : deriveId(key, recipientId)
    const message = { _id, content, type, mediaUrl, file }
    return (await writer.send({ senderId, recipientId, message })).message
  })
  return await Promise.all(sent)
}
