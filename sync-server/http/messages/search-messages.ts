import type { ConversationDocument } from '../../../schema/conversation.ts'
import { normalizeText } from '../../../schema/helpers/normalize-text.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import type { History } from './history.ts'
import type { OwnMessages } from './own-messages.ts'
import { createPage, type Page } from './page.ts'

/**
 * Finds messages by a part of their text, ignoring case, newest first. Deleted ones have no text.
 * @param asked.from searches only before this message
 */
export async function searchMessages(asked: {
  messages: OwnMessages
  history: History
  ownerId: string
  text: string
  conversation: ConversationDocument | undefined
  from: MessageDocument | undefined
  limit: number
  signal: AbortSignal
}): Promise<Page> {
  const { messages, history, ownerId, conversation, from, limit, signal } = asked
  const wanted = fold(asked.text.trim())
  const found = createPage({ limit })
  if (wanted === '') return found.read()
  const isHit = ({ content }: MessageDocument) => fold(content).includes(wanted)
  if (!conversation) {
    const isWanted = (message: MessageDocument) => isBefore(message, from) && isHit(message)
    return await messages.scan(ownerId, { isWanted, limit, signal })
  }
  const { _id: peerId, clearedUpTo: after } = conversation
  const before = from?.orderedAt ?? Number.MAX_SAFE_INTEGER
  for await (const page of history.walk({ ownerId, peerId, after, before }, signal)) {
    found.add(page.filter(isHit))
    if (found.isFull()) break
  }
  return found.read()
}

/** Is it older than `from`? */
export function isBefore(
  message: Pick<MessageDocument, '_id' | 'orderedAt'>,
  from: MessageDocument | undefined,
): boolean {
  if (!from) return true
  if (message.orderedAt !== from.orderedAt) return message.orderedAt < from.orderedAt
  return message._id < from._id
}

function fold(text: string): string {
  return normalizeText(text, 'NFKC').toLowerCase()
}
