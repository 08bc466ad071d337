import type { CommandContext } from '../storage/command-context.ts'
import { setConversationFlag } from './set-conversation-flag.ts'

/** Moves a conversation out of the list into the archive, or back. */
export async function setArchived(
  context: CommandContext,
  change: { peerId: string; isArchived: boolean },
): Promise<void> {
  await setConversationFlag(context, {
    peerId: change.peerId,
    flag: 'isArchived',
    isSet: change.isArchived,
  })
}
