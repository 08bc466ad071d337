import type { CommandContext } from '../storage/command-context.ts'
import { changeConversation } from './change-conversation.ts'
import { laterThan } from './change-message.ts'

/**
 * Mutes a conversation, or takes that back, at a time later than its last change.
 * @param change.until when it ends, epoch ms; without it, never
 */
export async function setMuted(
  context: CommandContext,
  change: { peerId: string; isMuted: boolean; until?: number | undefined },
): Promise<void> {
  const { database, now } = context
  const { peerId, isMuted } = change
  const until = isMuted ? change.until : undefined
  await changeConversation(database.conversations, peerId, (conversation) => {
    const { mutedUntil, isMutedAt, ...rest } = conversation
    if (rest.isMuted === isMuted && mutedUntil === until) return conversation
    return {
      ...rest,
      isMuted,
      isMutedAt: laterThan(now(), isMutedAt),
      ...(until !== undefined && { mutedUntil: until }),
    }
  })
}
