import type { ServerEvent } from '../../schema/api/socket-events.ts'
import type { NewMessage } from './push-news.ts'

type Tell = (userId: string, event: ServerEvent) => void

/** Tells an operator's devices of an event, and pushes a customer's new message. */
export function recordPushes(options: { tell: Tell; record: (message: NewMessage) => void }): Tell {
  const { tell, record } = options
  return (userId, event) => {
    tell(userId, event)
    if (event.event !== 'whatsapp-message-received') return
    const { messageId, senderId } = event.data
    record({ _id: messageId, senderId, recipientId: userId })
  }
}
