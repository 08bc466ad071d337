import type { MessageDocument } from '../../../schema/message.ts'
import type { PublicUser } from '../../../schema/user.ts'

/** Reloads a customer's record when a message carries a new name: once per name. */
export function createHeardNames({ load }: { load(userId: string): Promise<unknown> }) {
  const heard = new Set<string>()
  return {
    /** @param message the newest one between them, from either */
    handle(
      person: Pick<PublicUser, '_id' | 'isWhatsAppContact' | 'whatsapp_name'>,
      message: Pick<MessageDocument, 'senderId' | 'senderName'> | undefined,
    ): void {
      const name = message?.senderId === person._id ? message.senderName : undefined
      if (!person.isWhatsAppContact || !name || name === person.whatsapp_name) return
      const key = `${person._id} ${name}`
      if (heard.has(key)) return
      heard.add(key)
      // The known record stays until a reload succeeds.
      load(person._id).catch(() => heard.delete(key))
    },
  }
}
