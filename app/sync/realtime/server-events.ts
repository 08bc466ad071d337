import type { ServerEvent } from '../../../schema/api/socket-events.ts'
import { unreachable } from '../../../schema/helpers/unreachable.ts'
import type { TimedSettings } from '../../../schema/settings.ts'

interface Listener {
  handle(event: ServerEvent): void
}

export interface ServerEventParts {
  feed: Listener
  presence: Listener
  watched: Listener
  front: Listener
  pushes: Listener
  /** Called with a message's id that replication is about to bring. */
  expectMessage(messageId: string): void
  settings: { take(heard: TimedSettings): void }
  blocked: { refresh(): void }
}

/**
 * Gives each event of the server to the parts that it concerns: the one place where a new event is
 * assigned, and the type check demands it.
 */
export function giveServerEvent(event: ServerEvent, parts: ServerEventParts): void {
  const { feed, presence, watched, front, pushes, expectMessage, settings, blocked } = parts
  switch (event.event) {
    case 'changes':
    case 'changes-missed':
    case 'here':
      feed.handle(event)
      break
    case 'presence-scope':
    case 'users-online':
    case 'presence-changed':
      presence.handle(event)
      watched.handle(event)
      break
    case 'user-typing':
    case 'user-stop-typing':
      presence.handle(event)
      break
    case 'front-wanted':
      front.handle(event)
      break
    case 'pushes-taken':
    case 'push-answered':
      pushes.handle(event)
      break
    case 'receive-message':
      presence.handle(event)
      expectMessage(event.data.messageId)
      break
    case 'settings-changed':
      settings.take(event.data)
      break
    case 'block-changed':
      blocked.refresh()
      break
    // For other clients: this app learns the same from replication.
    case 'message-refused':
    case 'whatsapp-message-received':
    case 'whatsapp-status-update':
    case 'whatsapp-webhook-processed':
    case 'whatsapp-contact':
      break
    default:
      unreachable(event)
  }
}
