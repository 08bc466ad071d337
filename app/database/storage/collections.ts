import type { RxCollection } from 'rxdb/plugins/core'
import type { StoredConversation } from './stored-conversation.ts'
import type { StoredMessage } from './stored-message.ts'

export type MessageCollection = RxCollection<StoredMessage>

export type ConversationCollection = RxCollection<StoredConversation>
