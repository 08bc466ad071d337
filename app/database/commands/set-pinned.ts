import type { CommandContext } from '../storage/command-context.ts'
import { setConversationFlag } from './set-conversation-flag.ts'

/** Pins a conversation to the top of the list, or unpins it. */
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
