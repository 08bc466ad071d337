import type { CommandContext } from '../storage/command-context.ts'
import { setConversationFlag } from './set-conversation-flag.ts'

/** Keeps a conversation at the top of the list, or no longer. */
export async function setPinned(
  context: CommandContext,
  change: { peerId: string; isPinned: boolean },
): Promise<void> {
  await setConversationFlag(context, {
    peerId: change.peerId,
    flag: 'isPinned',
    isSet: change.isPinned,
  })
}
