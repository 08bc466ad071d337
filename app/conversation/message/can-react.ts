import { isAccepted, type MessageDocument } from '../../../schema/message.ts'

/** Would both people see a reaction to it? A reaction on the business channel reaches nobody. */
export function canReact(message: MessageDocument): boolean {
  return isAccepted(message) && message.deletedAt === undefined && !message.isWhatsApp
}
