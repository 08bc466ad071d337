import type { MessageDocument } from '../../../schema/message.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'

/** The message as it is now. Whoever keeps one, while it is answered or explained, keeps what it was. */
export function useLiveMessage(messenger: Messenger, kept: MessageDocument): MessageDocument {
  return useLiveValue(messenger.messages.get(kept._id)) ?? kept
}
