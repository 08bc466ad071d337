import type { MessageDocument } from '../../../schema/message.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'

/**
 * The current version of a message: a component that holds one, during a reply or in a dialog,
 * holds an old version.
 */
export function useLiveMessage(messenger: Messenger, kept: MessageDocument): MessageDocument {
  return useLiveValue(messenger.messages.get(kept._id)) ?? kept
}
