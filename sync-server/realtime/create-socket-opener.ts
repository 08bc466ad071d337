import type WebSocket from 'ws'
import { parseClientFrame, socketCloseCodes } from '../../schema/socket-events.ts'
import type { Caller, TokenHolder } from '../access/create-token-keeper.ts'
import type { Connection, Connections } from './create-connections.ts'
import type { EventHandler } from './create-event-handler.ts'
import { createFrameLimit } from './create-frame-limit.ts'
import type { Presence } from './create-presence.ts'
import type { PresenceAnnouncer } from './create-presence-announcer.ts'
import { runAt } from './run-at.ts'

export type SocketOpener = ReturnType<typeof createSocketOpener>

/** A device that reads slower than this goes without hints, and learns by replication (P7). */
const bufferedMaxBytes = 64 * 1024

/** Lets a device in by its token, and hears what it says until it goes. */
export function createSocketOpener(options: {
  identify: (token: string) => Promise<TokenHolder | null>
  connections: Connections
  presence: Presence
  announcer: PresenceAnnouncer
  handleEvent: EventHandler
  onError: (error: unknown) => void
}) {
  const { identify, connections, presence, announcer, handleEvent, onError } = options

  async function letIn(socket: WebSocket, token: string): Promise<Connection | null> {
    const caller = await identify(token)
    if (socket.readyState !== socket.OPEN) return null
    const endSignIn = () => socket.close(socketCloseCodes.signInEnded, 'Please sign in again.')
    if (!caller) {
      endSignIn()
      return null
    }
    const connection = connect(socket, caller)
    connections.add(connection)
    presence.arrive(caller.userId)
    const cancelEnd = runAt(caller.expiresAt, endSignIn)
    socket.on('close', () => {
      cancelEnd()
      connections.remove(connection)
      presence.leave(caller.userId)
    })
    await announcer.welcome(connection)
    announcer.request()
    return connection
  }

  return (socket: WebSocket, token: string): void => {
    const takeFrame = createFrameLimit()
    const entering = letIn(socket, token).catch((error: unknown) => {
      onError(error)
      socket.close(1011, 'The server could not open this connection.')
      return null
    })
    async function hear(frame: unknown) {
      const connection = await entering
      if (!connection || socket.readyState !== socket.OPEN) return
      const heard = typeof frame === 'string' ? parseClientFrame(frame) : null
      if (heard) await handleEvent(connection, heard)
      else socket.close(socketCloseCodes.badFrame, 'This frame cannot be read.')
    }
    // Listening begins before anything is waited for, or the first frames would be lost.
    socket.on('message', (frame: unknown) => {
      if (takeFrame()) hear(frame).catch(onError)
      else socket.close(socketCloseCodes.tooManyFrames, 'Too many frames.')
    })
    // A frame that breaks the protocol ends its own connection; ws closes it after this event.
    socket.on('error', () => undefined)
  }
}

function connect(socket: WebSocket, caller: Caller): Connection {
  return {
    caller,
    send(text) {
      if (socket.bufferedAmount > bufferedMaxBytes) return false
      socket.send(text, () => undefined)
      return true
    },
    close: (code, reason) => socket.close(code, reason),
  }
}
