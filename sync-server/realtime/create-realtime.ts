import { socketCloseCodes } from '../../schema/socket-events.ts'
import type { Directory } from '../access/create-directory.ts'
import type { Relations } from '../access/create-relations.ts'
import type { Sessions } from '../access/create-sessions.ts'
import type { TokenHolder } from '../access/create-token-keeper.ts'
import type { Connections } from './create-connections.ts'
import { createEventHandler, type SendMessage } from './create-event-handler.ts'
import { createPollers } from './create-pollers.ts'
import type { Presence } from './create-presence.ts'
import { createPresenceAnnouncer } from './create-presence-announcer.ts'
import { createSocketOpener } from './create-socket-opener.ts'

/** Joins connections with presence and sign-ins: what a device hears, and when it is cut off. */
export function createRealtime(options: {
  directory: Directory
  relations: Relations
  sessions: Sessions
  presence: Presence
  connections: Connections
  identify: (token: string) => Promise<TokenHolder | null>
  sendMessage: SendMessage
  announceEveryMs?: number | undefined
  onError: (error: unknown) => void
}) {
  const { directory, relations, sessions, presence, connections, onError } = options
  const announcer = createPresenceAnnouncer({
    ...{ presence, connections, directory, onError },
    everyMs: options.announceEveryMs,
  })
  const handleEvent = createEventHandler({
    connections,
    announcer,
    relations,
    sendMessage: options.sendMessage,
  })
  const stopListening = [
    presence.onChanged(announcer.request),
    relations.onChanged(announcer.request),
    sessions.onEnded((ended) =>
      connections.closeSession(ended, socketCloseCodes.signInEnded, 'Please sign in again.'),
    ),
  ]
  const pollers = createPollers({ connections, presence, announcer, handleEvent })
  return {
    pollers,
    openSocket: createSocketOpener({
      identify: options.identify,
      connections,
      presence,
      announcer,
      handleEvent,
      onError,
    }),
    close() {
      for (const stop of stopListening) stop()
      announcer.close()
      pollers.close()
      connections.closeAll(1001, 'The server restarts.')
    },
  }
}
