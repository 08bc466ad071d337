import type { MessageDocument } from '../../schema/message.ts'
import type { Accounts } from '../access/accounts.ts'
import type { Relations } from '../access/relations.ts'
import type { Acceptance } from '../messages/acceptance.ts'
import type { Connections } from './connections/connections.ts'

type AcceptMessages = Acceptance['acceptMessages']

/**
 * Accepts messages, then notifies their recipients' connected devices. A hint only (P7): nobody
 * waits for it, and a device that misses it learns by replication.
 */
export function announceMessages(options: {
  acceptMessages: AcceptMessages
  accounts: Accounts
  relations: Relations
  connections: Connections
  /** Called with each new message; returns at once. */
  onNew: (message: MessageDocument) => void
  onError: (error: unknown) => void
}): AcceptMessages {
  const { acceptMessages, accounts, relations, connections, onNew, onError } = options

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

  return async (request) => {
    const outcomes = await acceptMessages(request)
    const fresh = outcomes.flatMap((outcome, index) => {
      if (outcome.kind !== 'stored' || !outcome.isTaken) return []
      const { doc } = outcome
      const wasWaiting = request.proposals[index]?.raw.status !== 'sent'
      return wasWaiting && doc.status === 'sent' && doc.deletedAt === undefined ? [doc] : []
    })
    for (const message of fresh) onNew(message)
    if (fresh.length > 0) announce(request.actorId, fresh).catch(onError)
    return outcomes
  }
}

function describeMessage(message: MessageDocument, senderUsername: string) {
  const { _id, senderId, recipientId, content, type, createdAt } = message
  const timestamp = new Date(createdAt).toISOString()
  return { messageId: _id, senderId, recipientId, senderUsername, content, timestamp, type }
}
