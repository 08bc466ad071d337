import type { MessageDocument } from '../../../schema/message.ts'
import type { Messenger } from '../../sync/messenger-types.ts'

/** What was found in a chat, with what can be done with it. */
export interface FoundProps {
  messenger: Messenger
  message: MessageDocument
  /** By name, or 'You'. */
  author: string
  onGoToMessage(): void
}
