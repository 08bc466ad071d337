import type { MessageDocument } from '../../../schema/message.ts'

/** Those that say something, oldest first. A deleted one and a picture without a text have nothing to pass on. */
export function listWordedMessages(messages: readonly MessageDocument[]): MessageDocument[] {
  return messages
    .filter((message) => message.deletedAt === undefined && message.content.trim() !== '')
    .toSorted((a, b) => a.orderedAt - b.orderedAt)
}
