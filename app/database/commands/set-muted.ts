import type { CommandContext } from '../storage/command-context.ts'
import { setConversationFlag } from './set-conversation-flag.ts'

/** Mutes or unmutes a conversation. */
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
