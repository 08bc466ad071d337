import type { ConversationDocument } from '../../schema/conversation.ts'
import type { ConversationCollection } from './open-database.ts'
import { queryDocuments } from './read-documents.ts'
import { fromStoredConversation } from './stored-conversation.ts'

/** Every conversation on this device, in no particular order: they are few. */
export async function readConversations(
  conversations: ConversationCollection,
): Promise<ConversationDocument[]> {
  const everything = { selector: {}, sort: [{ _id: 'asc' as const }], index: ['_id'] }
  return (await queryDocuments(conversations, everything)).map(fromStoredConversation)
}
