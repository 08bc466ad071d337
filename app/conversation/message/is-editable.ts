import { isAccepted, type MessageDocument } from '../../../schema/message.ts'

/** Can the author still edit the text? A message that has gone to WhatsApp cannot change there. */
export function isEditable(message: MessageDocument): boolean {
  const { type, deletedAt, isWhatsApp } = message
  return type === 'text' && deletedAt === undefined && !(isWhatsApp && isAccepted(message))
}
