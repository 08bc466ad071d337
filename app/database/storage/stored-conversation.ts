import type { RxJsonSchema } from 'rxdb/plugins/core'
import {
  type ConversationDocument,
  conversationDocument,
  conversationFields,
  newConversation,
} from '../../../schema/conversation.ts'

/**
 * A conversation as this device stores it: with every field, so that readers need no defaults.
 * Conversations are few and read whole, so they need no further index.
 */
export type StoredConversation = ConversationDocument

/** The replicated part, without the store's own fields. */
export function fromStoredConversation(stored: StoredConversation): ConversationDocument {
  const fields = conversationFields.filter((field) => stored[field] !== undefined)
  return Object.fromEntries(fields.map((field) => [field, stored[field]])) as ConversationDocument
}

/** A conversation from the server; one that this version cannot parse only gets what it lacks. */
export function fromServerConversation(document: Partial<StoredConversation>): StoredConversation {
  const conversation = conversationDocument.safeParse(document)
  return conversation.success ? conversation.data : completeConversation(document)
}

const { _id: _, ...defaults } = newConversation('00000000-0000-7000-8000-000000000000')

/** The conversation with every field of this version, and no other. */
export function completeConversation(document: Partial<StoredConversation>): StoredConversation {
  return fromStoredConversation({ _id: '', ...defaults, ...document })
}

export const storedConversationSchema: RxJsonSchema<StoredConversation> = {
  title: 'conversation',
  // 0 had documents without the fields that were added since (`migrate-conversations.ts`).
  version: 1,
  primaryKey: '_id',
  type: 'object',
  properties: {
    _id: { type: 'string', maxLength: 100 },
  } as RxJsonSchema<StoredConversation>['properties'],
  required: ['_id'],
}
