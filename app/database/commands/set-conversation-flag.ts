import type { ConversationFlag } from '../../../schema/conversation.ts'
import type { CommandContext } from '../storage/command-context.ts'
import { changeConversation } from './change-conversation.ts'
import { laterThan } from './change-message.ts'

/** Pins or archives a conversation, or takes that back, at a time later than the flag's last change. */
export async function setConversationFlag(
  context: CommandContext,
  change: { peerId: string; flag: Exclude<ConversationFlag, 'isMuted'>; isSet: boolean },
): Promise<void> {
  const { database, now } = context
  const { peerId, flag, isSet } = change
  await changeConversation(database.conversations, peerId, (conversation) =>
    conversation[flag] === isSet
      ? conversation
      : {
          ...conversation,
          [flag]: isSet,
          [`${flag}At`]: laterThan(now(), conversation[`${flag}At`]),
        },
  )
}
