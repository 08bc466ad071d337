import type { MessageDocument } from '../../../schema/message.ts'
import type { Messenger } from '../../sync/messenger-types.ts'

/** A message found in a chat, with its actions. */
export interface FoundProps {
  messenger: Messenger
  message: MessageDocument
  /** The author's name, or 'You'. */
  author: string
  onGoToMessage(): void
}
