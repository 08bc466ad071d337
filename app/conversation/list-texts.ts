import type { MessageDocument } from '../../schema/message.ts'

/** What the messages say, oldest first. */
export function listTexts(messages: readonly MessageDocument[]): string[] {
  return [...messages].sort((a, b) => a.orderedAt - b.orderedAt).map(({ content }) => content)
}
