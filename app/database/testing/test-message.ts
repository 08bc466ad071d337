import { type MessageDocument, messageDocument } from '../../../schema/message.ts'
import { idOf } from './open-test-conversation.ts'
import { ann, ben } from './open-test-database.ts'

/** For tests: a message at a place of Ann's chat with Ben; his, unless `senderId` says otherwise. */
export function testMessage(place: number, fields: Partial<MessageDocument> = {}): MessageDocument {
  const { senderId = ben } = fields
  return messageDocument.parse({
    _id: idOf(place),
    peerId: ben,
    senderId,
    recipientId: senderId === ben ? ann : ben,
    content: `message ${place}`,
    createdAt: place,
    orderedAt: place,
    status: senderId === ben ? 'delivered' : 'sending',
    ...fields,
  })
}
