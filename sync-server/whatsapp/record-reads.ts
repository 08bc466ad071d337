import type { ConversationDocument } from '../../schema/conversation.ts'
import { type Accepted, listStoredOfPeople } from '../messages/acceptance/acceptance-listener.ts'

/** Reports to the channel how far operators have read their customers' conversations. */
export function recordReads(
  accepted: Accepted<ConversationDocument>,
  recordRead: (contactId: string, readUpTo: number) => void,
): void {
  for (const { isTaken, doc } of listStoredOfPeople(accepted)) {
    const { _id, readUpTo, whatsapp_conversation_id: name } = doc
    if (isTaken && name !== undefined && readUpTo > 0) recordRead(_id, readUpTo)
  }
}
