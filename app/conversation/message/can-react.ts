import { isAccepted, type MessageDocument } from '../../../schema/message.ts'

/** Can both people see a reaction to it? One on the business channel reaches nobody there. */
export function canReact(message: MessageDocument): boolean {
  return isAccepted(message) && message.deletedAt === undefined && !message.isWhatsApp
}
