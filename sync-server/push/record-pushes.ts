import type { ServerEvent } from '../../schema/api/socket-events.ts'
import type { ConversationDocument } from '../../schema/conversation.ts'
import { type Accepted, listStoredOfPeople } from '../messages/proposals/proposal.ts'
import type { NewMessage } from './push-news.ts'
import type { PushedRead } from './shown-pushes.ts'

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

/** Notes how far accepted conversations are read, for devices that still show their pushes. */
export function recordPushedReads(
  accepted: Accepted<ConversationDocument>,
  recordRead: (read: PushedRead) => void,
): void {
  const { actorId: userId, sessionId } = accepted
  for (const { doc } of listStoredOfPeople(accepted)) {
    const { _id: peerId, readUpTo, clearedUpTo } = doc
    const upTo = Math.max(readUpTo, clearedUpTo)
    if (upTo > 0) recordRead({ userId, peerId, upTo, sessionId })
  }
}
