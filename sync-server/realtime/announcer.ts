import type { MessageDocument } from '../../schema/message.ts'
import type { Accounts } from '../access/accounts.ts'
import type { Relations } from '../access/relations.ts'
import { type Accepted, listStoredOfPeople } from '../messages/proposals/proposal.ts'
import type { Connections } from './connections.ts'

/**
 * Notifies the recipients' connected devices of accepted messages. A hint only (P7): nobody waits
 * for it, and a device that misses it learns by replication.
 */
export function createAnnouncer(options: {
  accounts: Accounts
  relations: Relations
  connections: Connections
  /** Called with each new message; returns at once. */
  onNew: (message: MessageDocument) => void
  onError: (error: unknown) => void
}): (accepted: Accepted<MessageDocument>) => void {
  const { accounts, relations, connections, onNew, onError } = options

  async function announce(senderId: string, messages: readonly MessageDocument[]) {
    const waiting = messages.filter(({ recipientId }) => connections.has(recipientId))
    const sender = waiting.length > 0 ? await accounts.find(senderId) : undefined
    for (const message of waiting) {
      const { recipientId } = message
      if ((await relations.canReach(senderId, recipientId)) !== 'delivered') continue
      connections.tell(recipientId, {
        event: 'receive-message',
        data: describeMessage(message, sender?.username ?? ''),
      })
    }
  }

  return (accepted) => {
    const fresh = listStoredOfPeople(accepted).flatMap(({ isTaken, doc, proposal }) => {
      const isSent = isTaken && doc.status === 'sent' && proposal.raw.status !== 'sent'
      return isSent && doc.deletedAt === undefined ? [doc] : []
    })
    for (const message of fresh) onNew(message)
    if (fresh.length > 0) announce(accepted.actorId, fresh).catch(onError)
  }
}

function describeMessage(message: MessageDocument, senderUsername: string) {
  const { _id, senderId, recipientId, content, type, createdAt, isWhatsApp = false } = message
  const timestamp = new Date(createdAt).toISOString()
  const people = { senderId, recipientId, senderUsername }
  return { messageId: _id, ...people, content, timestamp, type, isWhatsApp }
}
