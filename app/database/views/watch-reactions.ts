import type { MessageDocument } from '../../../schema/message.ts'
import type { Reaction } from '../../../schema/reaction.ts'
import type { MessageCollection } from '../storage/open-database.ts'
import { fromStoredMessage } from '../storage/stored-message.ts'

/** Somebody has just reacted to a message that this person wrote. */
export interface ReactionNews {
  message: MessageDocument
  reaction: Reaction
}

/** Calls back when the other person reacts to a message of one's own, until the returned function is called. */
export function watchReactions(
  messages: MessageCollection,
  listener: (news: ReactionNews) => void,
): () => void {
  const subscription = messages.eventBulks$.subscribe(({ events }) => {
    for (const event of events) {
      // What comes with the first sight of a message is history.
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
