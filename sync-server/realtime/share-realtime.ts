import * as z from 'zod/mini'
import { socketWords, wordsForEvents } from '../../schema/api/socket-events.ts'
import type { Privacy } from '../access/privacy.ts'
import type { Relations } from '../access/relations.ts'
import type { Sessions } from '../access/sessions.ts'
import type { ServerLink } from '../cluster/server-link.ts'
import type { Connections } from './connections.ts'
import { createFronts, type Fronts } from './fronts.ts'
import type { Presence } from './presence.ts'
import { type SharedFronts, shareFronts } from './shared-fronts.ts'
import { createSharedPresence } from './shared-presence.ts'

/** How often connections are checked while the link is down. */
const checkEveryMs = 30_000

const caller = z.object({ userId: z.string(), sessionId: z.string() })

const userIds = z.array(z.string())

const told = z.object({
  userId: z.string(),
  text: z.string(),
  /** For devices with this word alone. */
  word: z.optional(z.enum(socketWords)),
})

const change = z.object({ userId: z.string(), names: z.array(z.string()) })

/**
 * Shares presence, events, blocks and ended sign-ins across linked servers, and who looks at a
 * device; without a link leaves them local.
 */
export function shareRealtime(options: {
  link: ServerLink | undefined
  presence: Presence
  connections: Connections
  sessions: Sessions
  relations: Relations
  privacy: Privacy
  writeLastSeen: (userIds: readonly string[], lastSeen: number) => Promise<void>
  onError: (error: unknown) => void
}): {
  presence: Presence
  connections: Connections
  /** Of this server's devices, and of all servers'. */
  fronts: Fronts
  allFronts: SharedFronts
  close(): void
} {
  const { link, presence, connections, sessions, relations, privacy, writeLastSeen, onError } =
    options
  const fronts = createFronts()
  if (!link) {
    const allFronts = shareFronts({ fronts, link, findServers: () => [] })
    return { presence, connections, fronts, allFronts, close: () => undefined }
  }
  const shared = createSharedPresence({ presence, link, writeLastSeen, onError })
  const { findServers } = shared
  const endings = shareSessionEndings({ sessions, connections, link, onError })
  const blockChanges = createSharedBlockChanges({ relations, connections, link })
  const privacyChanges = createSharedPrivacyChanges({ privacy, link })
  return {
    presence: shared,
    connections: shareConnections({ connections, link, findServers }),
    fronts,
    allFronts: shareFronts({ fronts, link, findServers }),
    close() {
      endings.close()
      blockChanges.close()
      privacyChanges.close()
    },
  }
}

/** What a person hides on one server is hidden at once on all. */
function createSharedPrivacyChanges(options: {
  privacy: Pick<Privacy, 'onChanged' | 'handleChanged'>
  link: ServerLink
}) {
  const { privacy, link } = options
  const state = { isHearing: false }
  const stopListening = [
    privacy.onChanged((userId, names) => {
      if (!state.isHearing) link.publish('privacy-changed', { userId, names })
    }),
    link.listen('privacy-changed', (data) => {
      const { userId, names } = change.parse(data)
      state.isHearing = true
      privacy.handleChanged(userId, names)
      state.isHearing = false
    }),
  ]
  return {
    close() {
      for (const stop of stopListening) stop()
    },
  }
}

/**
 * Connections that reach a person's devices on other servers too. While the link is down events
 * stay local, and replication delivers (P7).
 * @param findServers ids of the other servers that a person is connected to
 */
function shareConnections(options: {
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
    tell(userId, event, word = wordsForEvents[event.event]) {
      connections.tell(userId, event, word)
      const text = JSON.stringify(event)
      for (const serverId of findServers(userId))
        link.tell(serverId, 'tell', { userId, text, word })
    },
  }
}

/**
 * A block on one server hides people at once on all. After a link outage, rereads the blocks of
 * everybody connected.
 */
function createSharedBlockChanges(options: {
  relations: Pick<Relations, 'onChanged' | 'handleChanged'>
  connections: Pick<Connections, 'listUsers'>
  link: ServerLink
}) {
  const { relations, connections, link } = options
  const state = { isHearing: false }

  function handle(changed: readonly string[]) {
    state.isHearing = true
    relations.handleChanged(changed)
    state.isHearing = false
  }

  const stopListening = [
    relations.onChanged((changed) => {
      if (!state.isHearing) link.publish('blocks-changed', changed)
    }),
    link.listen('blocks-changed', (data) => handle(userIds.parse(data))),
    link.onTurn((isUp) => {
      if (isUp) handle(connections.listUsers())
    }),
  ]
  return {
    close() {
      for (const stop of stopListening) stop()
    },
  }
}

/**
 * Ending a sign-in on one server ends it on all and cuts off its devices everywhere. Checks the
 * database for missed endings when the servers reconnect, and periodically until then.
 */
function shareSessionEndings(options: {
  sessions: Sessions
  connections: Connections
  link: ServerLink
  onError: (error: unknown) => void
}) {
  const { sessions, connections, link, onError } = options
  const state = { isHearing: false }

  async function checkAll() {
    for (const connected of connections.listCallers()) await sessions.check(connected)
  }
  const check = () => void checkAll().catch(onError)

  const checking = setInterval(() => {
    if (!link.isUp()) check()
  }, checkEveryMs).unref()

  const stopListening = [
    sessions.onEnded((ended) => {
      if (!state.isHearing) link.publish('session-ended', ended)
    }),
    link.listen('session-ended', (data) => {
      const ended = caller.parse(data)
      state.isHearing = true
      sessions.handleEnded(ended)
      state.isHearing = false
    }),
    link.listen('sessions-check', check),
    link.onTurn((isUp) => {
      if (!isUp) return
      link.publish('sessions-check', null)
      check()
    }),
  ]

  return {
    close() {
      clearInterval(checking)
      for (const stop of stopListening) stop()
    },
  }
}
