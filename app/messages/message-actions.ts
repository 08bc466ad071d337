import type { MessageDocument } from '../../schema/message.ts'
import type { MenuPoint } from '../ui/menus/menu-action.ts'

/**
 * The actions of a message's controls. The object stays the same while the conversation is open.
 */
export interface MessageActions {
  reply(message: MessageDocument): void
  copy(text: string): void
  forward(message: MessageDocument): void
  remove(message: MessageDocument): void
  edit(message: MessageDocument): void
  retry(message: MessageDocument): void
  discard(message: MessageDocument): void
  dismissRefusal(message: MessageDocument): void
  /** Puts a refused text back into the composer, as an edit of the same message. */
  editAgain(message: MessageDocument, text: string): void
  showMessage(messageId: string): void
  /** Leads to a mentioned person. */
  showPerson(userId: string): void
  /** Reacts with an emoji, or removes the own reaction if it is the same. */
  toggleReaction(message: MessageDocument, emoji: string): void
  /** Opens the reaction choice. */
  chooseReaction(message: MessageDocument, point: MenuPoint): void
}
