import type { MessageDocument } from '../../../schema/message.ts'

/**
 * The messages with text, oldest first. A deleted message and a picture without a caption have none
 * to copy.
 */
export function listWordedMessages(messages: readonly MessageDocument[]): MessageDocument[] {
  return messages
    .filter((message) => message.deletedAt === undefined && message.content.trim() !== '')
    .toSorted((a, b) => a.orderedAt - b.orderedAt)
}
