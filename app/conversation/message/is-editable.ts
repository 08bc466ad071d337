import { isAccepted, type MessageDocument } from '../../../schema/message.ts'

/** Can the author still change what it says? What has left for somebody's WhatsApp stands there as it is. */
export function isEditable(message: MessageDocument): boolean {
  const { type, deletedAt, isWhatsApp } = message
  return type === 'text' && deletedAt === undefined && !(isWhatsApp && isAccepted(message))
}
