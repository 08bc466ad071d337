import { isIncoming, type MessageDocument } from '../../../schema/message.ts'
import type { Reaction } from '../../../schema/reaction.ts'
import { type MessageCollection, ownerOf } from '../storage/collections.ts'
import { fromStoredMessage } from '../storage/stored-message.ts'

/** Somebody else has just reacted to this person's message. */
export interface ReactionNews {
  message: MessageDocument
  /** Who did. */
  userId: string
  reaction: Reaction
}

/**
 * Calls back when somebody else reacts to an own message, until the returned function is called.
 */
export function watchReactions(
  messages: MessageCollection,
  listener: (news: ReactionNews) => void,
): () => void {
  const ownerId = ownerOf(messages)
  const subscription = messages.eventBulks$.subscribe(({ events }) => {
    for (const event of events) {
      // Reactions in a message's first version here are history.
      if (event.operation !== 'UPDATE') continue
      const message = fromStoredMessage(event.documentData)
      if (isIncoming(message, ownerId)) continue
      for (const [userId, reaction] of Object.entries(message.reactions ?? {})) {
        if (userId === ownerId || reaction.emoji === '') continue
        const before = event.previousDocumentData.reactions?.[userId]
        if (before?.at !== reaction.at) listener({ message, userId, reaction })
      }
    }
  })
  return () => subscription.unsubscribe()
}
