import type { ConversationAnswer } from '../../../schema/api/conversation-answer.ts'
import { limits } from '../../../schema/limits.ts'

/** Far more than any list shows of one message. */
const shownCharacters = 1_000

/**
 * Keeps a list of conversations that fits into one answer; in a larger one, shortens the long last
 * messages. Each is there whole in its conversation.
 */
export function shortenLastMessages(conversations: ConversationAnswer[]): ConversationAnswer[] {
  const bytes = conversations.reduce((sum, one) => sum + Buffer.byteLength(JSON.stringify(one)), 0)
  return bytes > limits.answerMaxBytes ? conversations.map(shorten) : conversations
}

function shorten(conversation: ConversationAnswer): ConversationAnswer {
  const { lastMessage } = conversation
  if (!lastMessage || lastMessage.content.length <= shownCharacters) return conversation
  const content = `${lastMessage.content.slice(0, shownCharacters)}…`
  return { ...conversation, lastMessage: { ...lastMessage, content } }
}
