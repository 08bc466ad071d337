import type { MessageDocument } from './message.ts'

/**
 * The message with this person's reaction, at a time later than their previous one; empty removes
 * it.
 */
export function react(
  message: MessageDocument,
  { userId, emoji, now }: { userId: string; emoji: string; now: number },
): MessageDocument {
  const before = message.reactions?.[userId]
  const at = Math.max(now, (before?.at ?? -1) + 1)
  return { ...message, reactions: { ...message.reactions, [userId]: { emoji, at } } }
}
