import type { MessageDocument } from '../../schema/message.ts'
import type { MenuPoint } from '../ui/menus/menu-action.ts'

/** What the controls on a message do. The object stays the same while the conversation is open. */
export interface MessageActions {
  reply(message: MessageDocument): void
  copy(text: string): void
  forward(message: MessageDocument): void
  remove(message: MessageDocument): void
  edit(message: MessageDocument): void
  retry(message: MessageDocument): void
  discard(message: MessageDocument): void
  dismissRefusal(message: MessageDocument): void
  /** Puts a refused text back into the composer, as a change of the same message. */
  editAgain(message: MessageDocument, text: string): void
  showMessage(messageId: string): void
  /** Reacts to it with an emoji, or takes that reaction back where it is the own one already. */
  toggleReaction(message: MessageDocument, emoji: string): void
  /** Opens the reactions to choose from. */
  chooseReaction(message: MessageDocument, point: MenuPoint): void
}
