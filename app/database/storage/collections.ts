import type { RxCollection, RxDocumentData } from 'rxdb/plugins/core'
import { must } from '../../../schema/helpers/assertions.ts'
import type { PetrelDatabase } from './open-database.ts'
import type { StoredConversation } from './stored-conversation.ts'
import type { StoredMessage } from './stored-message.ts'

export type MessageCollection = RxCollection<StoredMessage>

export type ConversationCollection = RxCollection<StoredConversation>

/** The person whose copies these are. */
export function ownerOf(messages: MessageCollection): string {
  return must((messages.options as { ownerId?: string }).ownerId, 'the owner of messages')
}

/** Every command's context. `now`: the server's time as this device knows it, epoch ms. */
export interface CommandContext {
  userId: string
  database: PetrelDatabase
  now: () => number
}

/** A write's changes, one bulk at a time, from any tab. */
interface ChangeBulk<T> {
  documents: RxDocumentData<T>[]
  /** The write's origin: replication names itself here. */
  context: string
}

/** Calls back for every write to a collection until the returned function is called. */
export function subscribeToChanges<T>(
  collection: RxCollection<T>,
  listener: (bulk: ChangeBulk<T>) => void,
): () => void {
  const subscription = collection.eventBulks$.subscribe((bulk) => {
    listener({ documents: bulk.events.map((event) => event.documentData), context: bulk.context })
  })
  return () => subscription.unsubscribe()
}
