import { type ConversationDocument, newConversation } from '../../../schema/conversation.ts'
import { isAccepted, type MessageDocument } from '../../../schema/message.ts'

/** For tests: a person's data, found by scanning all of their copies. */
export function walkAll(options: {
  ownerId: string
  copies: readonly MessageDocument[]
  conversations: readonly ConversationDocument[]
}) {
  const { ownerId, copies, conversations } = options
  const marksOf = (peerId: string) =>
    conversations.find(({ _id }) => _id === peerId) ?? newConversation(peerId)
  const shown = copies
    .filter(isAccepted)
    .filter(({ peerId, orderedAt }) => orderedAt > marksOf(peerId).clearedUpTo)
    .sort((a, b) => b.orderedAt - a.orderedAt || (a._id < b._id ? 1 : -1))

  return {
    starred: shown.filter(({ isStarred }) => isStarred).map(({ _id }) => _id),
    summarise(peerId: string) {
      const messages = shown.filter((message) => message.peerId === peerId)
      const { readUpTo } = marksOf(peerId)
      const count = (isWanted: (message: MessageDocument) => boolean) =>
        messages.filter(isWanted).length
      const isOwn = ({ senderId }: MessageDocument) => senderId === ownerId
      return {
        total: messages.length,
        sent: count(isOwn),
        received: count((message) => !isOwn(message)),
        unread: count(
          (message) =>
            !isOwn(message) && message.orderedAt > readUpTo && message.deletedAt === undefined,
        ),
        starred: count(({ isStarred }) => isStarred),
        media: count(({ mediaUrl }) => mediaUrl !== undefined),
        firstMessageAt: toIso(messages.at(-1)),
        lastMessageAt: toIso(messages[0]),
      }
    },
  }
}

function toIso(message: MessageDocument | undefined): string | null {
  return message ? new Date(message.orderedAt).toISOString() : null
}
