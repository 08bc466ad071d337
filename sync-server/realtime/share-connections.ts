import * as z from 'zod/mini'
import { socketWords, wordsForEvents } from '../../schema/api/socket-events.ts'
import type { ServerLink } from '../cluster/server-link.ts'
import type { Connections } from './connections/connections.ts'

const told = z.object({
  userId: z.string(),
  text: z.string(),
  /** For devices with this word alone. */
  word: z.optional(z.enum(socketWords)),
})

/**
 * Connections that reach a person's devices on other servers too. While the link is down events
 * stay local, and replication delivers (P7).
 * @param findServers ids of the other servers that a person is connected to
 */
export function shareConnections(options: {
  connections: Connections
  link: ServerLink
  findServers: (userId: string) => string[]
}): Connections {
  const { connections, link, findServers } = options
  link.listen('tell', (data) => {
    const { userId, text, word } = told.parse(data)
    connections.tellText(userId, text, word)
  })
  return {
    ...connections,
    has: (userId) => connections.has(userId) || findServers(userId).length > 0,
    tell(userId, event) {
      connections.tell(userId, event)
      const text = JSON.stringify(event)
      const word = wordsForEvents[event.event]
      for (const serverId of findServers(userId))
        link.tell(serverId, 'tell', { userId, text, word })
    },
  }
}
