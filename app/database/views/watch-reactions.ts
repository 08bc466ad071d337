import type { MessageDocument } from '../../../schema/message.ts'
import type { Reaction } from '../../../schema/reaction.ts'
import type { MessageCollection } from '../storage/collections.ts'
import { fromStoredMessage } from '../storage/stored-message.ts'

/** The other person has just reacted to this person's message. */
export interface ReactionNews {
  message: MessageDocument
  reaction: Reaction
}

/**
 * Calls back when the other person reacts to an own message, until the returned function is called.
 */
export function watchReactions(
  messages: MessageCollection,
  listener: (news: ReactionNews) => void,
): () => void {
  const subscription = messages.eventBulks$.subscribe(({ events }) => {
    for (const event of events) {
      // Reactions in a message's first version here are history.
      if (event.operation !== 'UPDATE') continue
      const message = fromStoredMessage(event.documentData)
      const { senderId, peerId } = message
      const reaction = message.reactions?.[peerId]
      if (senderId === peerId || !reaction || reaction.emoji === '') continue
      const before = event.previousDocumentData.reactions?.[peerId]
      if (before?.at !== reaction.at) listener({ message, reaction })
    }
  })
  return () => subscription.unsubscribe()
}
