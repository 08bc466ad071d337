import type { ConversationDocument } from '../../../schema/conversation.ts'
import type { ConversationCollection } from '../storage/collections.ts'
import { queryDocuments } from '../storage/read-documents.ts'
import { fromStoredConversation } from '../storage/stored-conversation.ts'

/** Every conversation on this device, unordered: they are few. */
export async function readConversations(
  conversations: ConversationCollection,
): Promise<ConversationDocument[]> {
  const everything = { selector: {}, sort: [{ _id: 'asc' as const }], index: ['_id'] }
  return (await queryDocuments(conversations, everything)).map(fromStoredConversation)
}
