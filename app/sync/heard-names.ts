import type { MessageDocument } from '../../schema/message.ts'
import type { PublicUser } from '../../schema/user.ts'

/** A customer's record is read again when a message carries another name than it has: once for each name. */
export function createHeardNames({ load }: { load(userId: string): Promise<unknown> }) {
  const heard = new Set<string>()
  return {
    /** @param message the newest one between them, whoever wrote it */
    handle(
      person: Pick<PublicUser, '_id' | 'isWhatsAppContact' | 'whatsapp_name'>,
      message: Pick<MessageDocument, 'senderId' | 'senderName'> | undefined,
    ): void {
      const name = message?.senderId === person._id ? message.senderName : undefined
      if (!person.isWhatsAppContact || !name || name === person.whatsapp_name) return
      const key = `${person._id} ${name}`
      if (heard.has(key)) return
      heard.add(key)
      // What the device knows stays until it can be read.
      load(person._id).catch(() => heard.delete(key))
    },
  }
}
