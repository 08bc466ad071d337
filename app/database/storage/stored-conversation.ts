import type { RxJsonSchema } from 'rxdb/plugins/core'
import {
  type ConversationDocument,
  conversationDocument,
  conversationFields,
} from '../../../schema/conversation.ts'

/** Conversations are few and read whole, so the device needs no extra index for them. */
export type StoredConversation = ConversationDocument

/** The replicated part, without the store's own fields. */
export function fromStoredConversation(stored: Partial<StoredConversation>): ConversationDocument {
  const conversation: Record<string, unknown> = {}
  for (const field of conversationFields) {
    if (stored[field] !== undefined) conversation[field] = stored[field]
  }
  return conversation as ConversationDocument
}

/** A conversation from the server, with defaults for fields that older versions lack. */
export function fromServerConversation(document: Partial<StoredConversation>): StoredConversation {
  const conversation = conversationDocument.safeParse(document)
  return conversation.success ? conversation.data : fromStoredConversation(document)
}

export const storedConversationSchema: RxJsonSchema<StoredConversation> = {
  title: 'conversation',
  version: 0,
  primaryKey: '_id',
  type: 'object',
  properties: {
    _id: { type: 'string', maxLength: 100 },
  } as RxJsonSchema<StoredConversation>['properties'],
  required: ['_id'],
}
