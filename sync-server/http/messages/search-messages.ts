import type { ConversationDocument } from '../../../schema/conversation.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import type { History } from './create-history.ts'
import type { OwnMessages } from './create-own-messages.ts'

/**
 * Finds messages by a part of their text, in any case, newest first. Deleted ones say nothing, so they are not found.
 * @param asked.from the message from which to go back
 */
export async function searchMessages(asked: {
  messages: OwnMessages
  history: History
  ownerId: string
  text: string
  conversation: ConversationDocument | undefined
  from: MessageDocument | undefined
  limit: number
}): Promise<MessageDocument[]> {
  const { messages, history, ownerId, conversation, from, limit } = asked
  const wanted = fold(asked.text.trim())
  if (wanted === '') return []
  const isHit = ({ content }: MessageDocument) => fold(content).includes(wanted)
  if (!conversation) {
    const isWanted = (message: MessageDocument) => isBefore(message, from) && isHit(message)
    return await messages.scan(ownerId, { isWanted, limit })
  }
  const { _id: peerId, clearedUpTo: after } = conversation
  const before = from?.orderedAt ?? Number.MAX_SAFE_INTEGER
  const found: MessageDocument[] = []
  for await (const page of history.walkBack({ ownerId, peerId, after, before })) {
    found.push(...page.filter(isHit))
    if (found.length >= limit) break
  }
  return found.slice(0, limit)
}

function isBefore(message: MessageDocument, from: MessageDocument | undefined): boolean {
  if (!from) return true
  if (message.orderedAt !== from.orderedAt) return message.orderedAt < from.orderedAt
  return message._id < from._id
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}
