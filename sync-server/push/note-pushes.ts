import type { ServerEvent } from '../../schema/api/socket-events.ts'
import type { NewMessage } from './push-news.ts'

type Tell = (userId: string, event: ServerEvent) => void

/** Tells an operator's devices of an event, and pushes a customer's new message. */
export function notePushes(options: { tell: Tell; note: (message: NewMessage) => void }): Tell {
  const { tell, note } = options
  return (userId, event) => {
    tell(userId, event)
    if (event.event !== 'whatsapp-message-received') return
    const { messageId, senderId } = event.data
    note({ _id: messageId, senderId, recipientId: userId })
  }
}
