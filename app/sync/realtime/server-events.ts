import type { ServerEvent } from '../../../schema/api/socket-events.ts'
import { unreachable } from '../../../schema/helpers/unreachable.ts'

interface Listener {
  handle(event: ServerEvent): void
}

/**
 * Gives each event of the server to the parts that it concerns: the one place where a new event is
 * assigned, and the type check demands it.
 * @param expectMessage called with a message's id that replication is about to bring
 */
export function giveServerEvent(
  event: ServerEvent,
  parts: {
    feed: Listener
    presence: Listener
    watched: Listener
    expectMessage(messageId: string): void
  },
): void {
  const { feed, presence, watched, expectMessage } = parts
  switch (event.event) {
    case 'changes':
    case 'changes-missed':
    case 'here':
      return feed.handle(event)
    case 'presence-scope':
    case 'users-online':
    case 'presence-changed':
      presence.handle(event)
      return watched.handle(event)
    case 'user-typing':
    case 'user-stop-typing':
      return presence.handle(event)
    case 'receive-message':
      presence.handle(event)
      return expectMessage(event.data.messageId)
    // For other clients: this app learns the same from replication.
    case 'message-refused':
    case 'whatsapp-message-received':
    case 'whatsapp-status-update':
    case 'whatsapp-webhook-processed':
    case 'whatsapp-contact':
      return
    default:
      return unreachable(event)
  }
}
