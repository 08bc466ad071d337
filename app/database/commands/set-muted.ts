import type { CommandContext } from '../storage/command-context.ts'
import { setConversationFlag } from './set-conversation-flag.ts'

/** Silences a conversation, or no longer. */
export async function setMuted(
  context: CommandContext,
  change: { peerId: string; isMuted: boolean },
): Promise<void> {
  await setConversationFlag(context, {
    peerId: change.peerId,
    flag: 'isMuted',
    isSet: change.isMuted,
  })
}
