import { v7 as uuidv7 } from 'uuid'
import type { AttachedFile } from '../../../schema/attached-file.ts'
import type { MessageDocument, MessageType } from '../../../schema/message.ts'
import type { Proposal } from './proposal.ts'

/**
 * A message as a caller without a local database writes it. `_id` makes a repeated call idempotent.
 */
export interface NewMessage {
  _id?: string | undefined
  content: string
  type?: MessageType | undefined
  replyToMessageId?: string | undefined
  mediaUrl?: string | undefined
  file?: AttachedFile | undefined
}

/**
 * Turns it into a device's push, so that it goes through the one way in (P4). @param now epoch ms
 */
export function proposeMessage(asked: {
  senderId: string
  recipientId: string
  message: NewMessage
  now?: number
}): Proposal {
  const { senderId, recipientId, message, now = Date.now() } = asked
  const { _id = uuidv7(), content, type = 'text', replyToMessageId, mediaUrl, file } = message
  const raw: Partial<MessageDocument> = {
    _id,
    peerId: recipientId,
    senderId,
    recipientId,
    type,
    content,
    createdAt: now,
    orderedAt: now,
    status: 'sending',
    ...(replyToMessageId === undefined ? {} : { replyTo: replyToMessageId }),
    ...(mediaUrl === undefined ? {} : { mediaUrl }),
    ...(mediaUrl === undefined || file === undefined ? {} : { file }),
  }
  return { id: _id, raw, isDeleted: false }
}
